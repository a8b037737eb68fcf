import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/base/json.ts';
import type { Message } from '../../src/domain/run/message.ts';
import type { Connection } from '../../src/ports/model.ts';
import { type Reply, stallAfter, status } from '../../src/testing/index.ts';
import { answerOf, continued, faultOf, HELLO, KEY, serve, TOOLS, watch } from './calls.ts';
import { anthropicStream, googleStream, openAIStream, type Said } from './wire.ts';

interface Wire {
  readonly kind: Connection['kind'];
  readonly say: (said: Said) => Reply;
  readonly path: string;
  readonly key: readonly [string, string];
  /** Null: the package does not hand it on. */
  readonly modelUsed: string | null;
  readonly overloaded: JsonObject;
  readonly code: string;
}

const WIRES: readonly Wire[] = [
  {
    kind: 'anthropic',
    say: anthropicStream,
    path: '/v1/messages',
    key: ['x-api-key', KEY],
    modelUsed: 'claude-2026',
    overloaded: { type: 'overloaded_error', message: 'Overloaded' },
    code: 'overloaded',
  },
  {
    kind: 'google',
    say: googleStream,
    path: '/v1/models/m:streamGenerateContent?alt=sse',
    key: ['x-goog-api-key', KEY],
    modelUsed: null,
    overloaded: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
    code: 'overloaded',
  },
  {
    kind: 'openai',
    say: openAIStream,
    path: '/v1/responses',
    key: ['authorization', `Bearer ${KEY}`],
    modelUsed: 'gpt-2026',
    overloaded: { code: 'server_error', message: 'Something went wrong.' },
    code: 'overloaded',
  },
];

const CALLS = [
  { id: 'call_a', name: 'read', args: '{"path":"a.ts"}' },
  { id: 'call_b', name: 'list', args: '{"deep":true}' },
];

describe.each(WIRES)('$kind', ({ kind, say, path, key, modelUsed, overloaded, code }) => {
  test('[MOD-1] is asked at its own path with its key, and nothing of the environment', async () => {
    const { server, model } = await serve([say({ text: ['hi'] })], { kind });
    await answerOf(model, { tools: TOOLS });
    expect(server.requests[0]?.path).toBe(path);
    expect(server.requests[0]?.headers[key[0]]).toBe(key[1]);
  });

  test('[MOD-9] streams text and returns parallel calls, finish, usage and the model used', async () => {
    const { model } = await serve([say({ text: ['Look', 'ing.'], calls: CALLS })], { kind });
    const { outcome, seen } = watch(model, { tools: TOOLS });
    const result = await outcome;
    expect(result).toMatchObject({
      kind: 'answer',
      text: 'Looking.',
      finish: 'tool_calls',
      calls: CALLS.map(({ name, args }) => ({ name, args })),
      modelUsed,
      usage: { input: 100, cached: 70, output: 30, unknown_calls: 0 },
    });
    expect(seen.text).toBe('Looking.');
    expect(seen.alive).toBeGreaterThan(0);
    if (result.kind === 'answer') expect(new Set(result.calls.map((call) => call.call_id)).size).toBe(2);
  });

  test('[MOD-1] gets thinking and its signature back, byte for byte at every call', async () => {
    const thinking = { text: 'Let me see.', signature: 'c2lnbmF0dXJl' };
    const { server, model } = await serve(
      (request) => say(request.n === 1 ? { thinking, text: ['So.'], calls: CALLS } : { text: ['end'] }),
      { kind },
    );
    const first = await answerOf(model, { tools: TOOLS });
    expect(first.text).toBe('So.');
    const read: Message[] = JSON.parse(JSON.stringify(continued(HELLO, first)));
    await answerOf(model, { messages: read, tools: TOOLS });
    expect(server.requests[1]?.text).toContain(thinking.signature);
    await answerOf(model, { messages: [...read, { role: 'user', text: 'more' }], tools: TOOLS });
    const said = server.requests[1]?.text.indexOf(thinking.signature) ?? -1;
    expect(server.requests[2]?.text.slice(0, said + 40)).toBe(server.requests[1]?.text.slice(0, said + 40));
  });

  test('[MOD-9] is told which tool call failed', async () => {
    const { server, model } = await serve([say({ text: ['ok'] })], { kind });
    const calls = [{ call_id: 'c1', name: 'read', args: '{"path": "broken' }];
    const results = [{ call_id: 'c1', name: 'read', text: 'no such file', error: true }];
    await answerOf(model, {
      messages: [...HELLO, { role: 'assistant', text: '', calls }, { role: 'tool', results }],
      tools: TOOLS,
    });
    expect(server.requests[0]?.text).toMatch(/"is_error":true|"error":"no such file"|\\"error\\":\\"no such file\\"/u);
    expect(server.requests[0]?.text).toContain('unreadable');
  });

  test('[MOD-6] a stream that stops without an end is cut', async () => {
    const { model } = await serve([say({ text: ['some text'], unfinished: true })], { kind });
    const { outcome, seen } = watch(model);
    expect(await outcome).toMatchObject({ kind: 'fault', fault: { code: 'cut', retryable: true } });
    expect(seen.text).toBe('some text');
  });

  test('[MOD-6] a stream that holds nothing is cut', async () => {
    const { model } = await serve([say({ unfinished: true })], { kind });
    expect((await faultOf(model)).fault).toMatchObject({ code: 'cut', retryable: true });
  });

  test('[MOD-6] an error within the stream is told by its content', async () => {
    const { model } = await serve([say({ text: ['some text'], error: overloaded })], { kind });
    const { outcome, seen } = watch(model);
    expect(await outcome).toMatchObject({ kind: 'fault', fault: { code, retryable: true } });
    expect(seen.text).toBe('some text');
  });

  test('[MOD-6] an error in place of the stream is told by its content', async () => {
    const { model } = await serve([say({ error: overloaded })], { kind });
    expect((await faultOf(model)).fault).toMatchObject({ code, retryable: true });
  });

  test('[MOD-6] statuses are told apart', async () => {
    const { model } = await serve(
      [status(401, { error: { message: `bad ${KEY}` } }), status(404), status(429, {}, { 'retry-after': '3' })],
      { kind },
    );
    const refused = await faultOf(model);
    expect(refused.fault).toMatchObject({ code: 'refused_key', retryable: false, status: 401 });
    expect(refused.fault.message).not.toContain(KEY);
    expect((await faultOf(model)).fault).toMatchObject({ code: 'unknown_model', status: 404 });
    expect(await faultOf(model)).toMatchObject({
      fault: { code: 'rate_limited', retryable: true },
      retryAfterMs: 3000,
    });
  });

  test('[MOD-9] an abort in the middle closes the socket', async () => {
    const { server, model } = await serve(
      (request) => {
        const { steps, ...head } = say({ text: ['what was written'], unfinished: true })(request);
        return () => ({ ...head, steps: [...steps, ...stallAfter('')(request).steps.slice(-1)] });
      },
      { kind },
    );
    const controller = new AbortController();
    const { outcome, whenText } = watch(model, {}, controller.signal);
    await whenText('what was written');
    controller.abort();
    expect((await outcome).kind).toBe('fault');
    await server.until(() => server.openConnections() === 0);
  });
});

test('[MOD-1] anthropic is told an output bound, which it demands', async () => {
  const { server, model } = await serve([anthropicStream({ text: ['hi'] })], { kind: 'anthropic' });
  await answerOf(model);
  expect(server.requests[0]?.body).toMatchObject({ model: 'm', max_tokens: 32_000, stream: true });
});

test('[MOD-1] openai keeps nothing on its side', async () => {
  const { server, model } = await serve([openAIStream({ text: ['hi'] })], { kind: 'openai' });
  await answerOf(model);
  expect(server.requests[0]?.body).toMatchObject({ model: 'm', store: false, stream: true });
});

test('[MOD-9] anthropic: broken arguments are handed over as they are', async () => {
  const calls = [{ id: 'a', name: 'read', args: '{"path": "x' }];
  const { model } = await serve([anthropicStream({ calls })], { kind: 'anthropic' });
  expect((await answerOf(model)).calls).toStrictEqual([{ call_id: 'a', name: 'read', args: '{"path": "x' }]);
});

test('[MOD-9] openai: broken arguments are handed over as they are', async () => {
  const calls = [{ id: 'a', name: 'read', args: '{"path": "x' }];
  const { model } = await serve([openAIStream({ calls })], { kind: 'openai' });
  expect((await answerOf(model)).calls).toStrictEqual([{ call_id: 'a', name: 'read', args: '{"path": "x' }]);
});

test('[MOD-9] anthropic: duplicate and empty ids of one answer are made unique', async () => {
  const calls = ['same', 'same', '', ''].map((id) => ({ id, name: 'read', args: '{}' }));
  const { model } = await serve([anthropicStream({ calls })], { kind: 'anthropic' });
  expect((await answerOf(model)).calls.map((call) => call.call_id)).toStrictEqual(['same', 'same_2', 'call', 'call_2']);
});
