import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/domain/run/message.ts';
import { answer, event, malformed } from '../../src/testing/index.ts';
import { answerOf, connectTo, continued, HELLO, KEY, serve, TOOLS, watch } from './calls.ts';

describe('an OpenAI-compatible connection', () => {
  test('[MOD-1] speaks chat completions with key, headers, tools and usage asked for', async () => {
    const { server, model } = await serve([answer({ text: 'hi' })], {
      id: 'vendor/model:free',
      headers: { 'X-Title': 'Errand' },
    });
    await answerOf(model, { tools: TOOLS });
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-title': 'Errand',
      'content-type': 'application/json',
    });
    expect(request?.body).toStrictEqual({
      model: 'vendor/model:free',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'hello' },
      ],
      tools: TOOLS.map((declared) => ({ type: 'function', function: declared })),
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('[MOD-1] sends neither a key nor tools nor an effort that it has not', async () => {
    const { server, model } = await serve([answer({ text: 'hi' })], { apiKey: null });
    await answerOf(model);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(Object.keys(server.requests[0]?.body ?? {})).toStrictEqual([
      'model',
      'messages',
      'stream',
      'stream_options',
    ]);
  });

  test('[MOD-1] hands on the effort of the run', async () => {
    const { server, model } = await serve([answer({ text: 'hi' })]);
    await answerOf(model, { effort: 'xhigh' });
    expect(server.requests[0]?.body).toMatchObject({ reasoning_effort: 'xhigh' });
  });

  test('[MOD-9] streams the text in order and returns it whole', async () => {
    const { model } = await serve([answer({ text: 'Grüße, 世界 👋🏽!', chunks: 9 })]);
    const { outcome, seen } = watch(model);
    expect(await outcome).toMatchObject({ kind: 'answer', text: 'Grüße, 世界 👋🏽!', finish: 'stop', calls: [] });
    expect(seen.text).toBe('Grüße, 世界 👋🏽!');
  });

  test('[MOD-9] shows text before the answer is complete', async () => {
    const { server, model } = await serve((request) => {
      const { steps, ...head } = answer({ text: 'first second', chunks: 2 })(request);
      const whole = server.hold('rest', () => ({ steps: steps.slice(2) }))(request);
      return () => ({ ...head, steps: [...steps.slice(0, 2), ...whole.steps] });
    });
    const { outcome, whenText } = watch(model);
    await whenText('first ');
    expect(server.openStreams()).toBe(1);
    server.release('rest');
    expect(await outcome).toMatchObject({ text: 'first second' });
  });

  test('[MOD-9] returns the parallel calls of one step in order, arguments as written', async () => {
    const { model } = await serve([
      answer({
        text: 'Looking.',
        calls: [
          { name: 'read', args: '{ "path":  "a.ts" }' },
          { name: 'list', args: {} },
          { name: 'read', args: { path: 'ü"\\n.ts' } },
        ],
      }),
    ]);
    expect(await answerOf(model, { tools: TOOLS })).toMatchObject({
      text: 'Looking.',
      finish: 'tool_calls',
      calls: [
        { call_id: 'call_1_0', name: 'read', args: '{ "path":  "a.ts" }' },
        { call_id: 'call_1_1', name: 'list', args: '{}' },
        { call_id: 'call_1_2', name: 'read', args: '{"path":"ü\\"\\\\n.ts"}' },
      ],
    });
  });

  test('[MOD-9] hands over broken arguments as they are', async () => {
    const { model } = await serve([
      answer({
        calls: [
          { name: 'read', args: '{"path": "a' },
          { name: 'list', args: '' },
        ],
      }),
    ]);
    const { calls } = await answerOf(model, { tools: TOOLS });
    expect(calls.map((call) => call.args)).toStrictEqual(['{"path": "a', '']);
  });

  test('[MOD-9] makes duplicate and empty ids of one answer unique', async () => {
    const twice = { name: 'read', args: { path: 'a' }, call_id: 'same' };
    const { model } = await serve([
      answer({ calls: [twice, twice, { ...twice, call_id: '' }, { ...twice, call_id: '' }] }),
    ]);
    const { calls } = await answerOf(model, { tools: TOOLS });
    expect(calls).toHaveLength(4);
    expect(new Set(calls.map((call) => call.call_id)).size).toBe(4);
    expect(calls.every((call) => call.call_id.trim() !== '' && call.args === '{"path":"a"}')).toBe(true);
  });

  test('[RUN-3] says that the output limit cut the answer, and hands over what was there', async () => {
    const { model } = await serve([
      answer({ text: 'so far', calls: [{ name: 'read', args: '{"pa' }], finish: 'length' }),
    ]);
    expect(await answerOf(model)).toMatchObject({ text: 'so far', finish: 'length', calls: [{ args: '{"pa' }] });
  });

  test.each(['stop', 'tool_calls', 'length', 'filter', 'other'] as const)(
    '[RUN-3] tells the finish %s',
    async (finish) => {
      const { model } = await serve([answer({ text: 'x', finish })]);
      expect((await answerOf(model)).finish).toBe(finish);
    },
  );

  test('[RUN-3] an answer without text and calls is an answer', async () => {
    const { model } = await serve([answer({})]);
    expect(await answerOf(model)).toMatchObject({ text: '', calls: [], finish: 'stop' });
  });

  test('[MOD-1] tells usage by kind and which model was used', async () => {
    const usage = { input: 100, cached: 60, output: 40, reasoning: 25 };
    const { model } = await serve([answer({ text: 'hi', usage, model: 'm-2026-11' })]);
    expect(await answerOf(model)).toMatchObject({ usage: { ...usage, unknown_calls: 0 }, modelUsed: 'm-2026-11' });
  });

  test('[MOD-1] tells no usage where the provider told none', async () => {
    const { model } = await serve([answer({ text: 'hi', usage: null })]);
    expect((await answerOf(model)).usage).toBeNull();
  });

  test('[MOD-9] marks a failed tool call in the text, since the protocol has no mark', async () => {
    const { server, model } = await serve([answer({ text: 'ok' })]);
    const calls = [1, 2, 3].map((n) => ({ call_id: `c${n}`, name: 'read', args: '{}' }));
    const results = [
      { call_id: 'c1', name: 'read', text: 'no such file', error: true },
      { call_id: 'c2', name: 'read', text: 'Error: already said', error: true },
      { call_id: 'c3', name: 'read', text: 'fine', error: false },
    ];
    await answerOf(model, { messages: [...HELLO, { role: 'assistant', text: '', calls }, { role: 'tool', results }] });
    expect(server.requests[0]?.messages.slice(3)).toStrictEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'Error: no such file' },
      { role: 'tool', tool_call_id: 'c2', content: 'Error: already said' },
      { role: 'tool', tool_call_id: 'c3', content: 'fine' },
    ]);
  });

  test('[MOD-9] gives broken arguments back as an object that any server can read', async () => {
    const { server, model } = await serve([answer({ text: 'ok' })]);
    const calls = [
      { call_id: 'c1', name: 'read', args: '{"path": "a' },
      { call_id: 'c2', name: 'list', args: '' },
      { call_id: 'c3', name: 'list', args: '{ "deep" : 1.0 }' },
    ];
    await answerOf(model, { messages: [...HELLO, { role: 'assistant', text: '', calls }] });
    const [said] = server.requests[0]?.messages.slice(2) ?? [];
    expect(
      (said as unknown as { tool_calls: { function: { arguments: string } }[] }).tool_calls.map(
        (call) => call.function.arguments,
      ),
    ).toStrictEqual(['{"unreadable":"{\\"path\\": \\"a"}', '{}', '{ "deep" : 1.0 }']);
  });

  test('[MOD-9] a comment of the stream is a sign of life, and no text', async () => {
    const { server, model } = await serve((request) => {
      const rest = server.hold('rest', answer({ text: 'done' }))(request);
      return () => ({ ...rest, steps: [{ send: ': still thinking\n\n' }, ...rest.steps] });
    });
    const { outcome, seen } = watch(model);
    await server.whenHeld('rest');
    server.release('rest');
    await outcome;
    expect(seen.text).toBe('done');
    expect(seen.alive).toBeGreaterThan(0);
  });

  test('[MOD-1] reads reasoning apart from text and gives it back to the same connection only', async () => {
    const replies = [
      answer({ text: 'So: ', reasoning: 'because', calls: [{ name: 'list', args: {} }] }),
      answer({ text: 'end' }),
      answer({ text: 'end' }),
    ];
    const { server, model } = await serve(replies);
    const first = await answerOf(model, { tools: TOOLS });
    expect(first.text).toBe('So: ');
    const messages: readonly Message[] = continued(HELLO, first);
    await answerOf(model, { messages, tools: TOOLS });
    expect(server.requests[1]?.messages[2]).toMatchObject({
      role: 'assistant',
      content: 'So: ',
      reasoning_content: 'because',
    });
    await answerOf(await connectTo(server.url, { name: 'other' }), { messages, tools: TOOLS });
    expect(server.requests[2]?.messages[2]).not.toHaveProperty('reasoning_content');
  });

  test('[MOD-1] understands a stream with other line ends and pieces cut anywhere', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      event({ id: 'x', model: 'm', choices: [{ index: 0, delta: delta as never, finish_reason: finish }] });
    const stream = (chunk({ content: 'héllo ' }) + chunk({ content: '世界' }) + chunk({}, 'stop')).replaceAll(
      '\n',
      '\r\n',
    );
    const bytes = Buffer.from(stream);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.subarray(index * 7, index * 7 + 7),
    );
    const { model } = await serve([malformed(pieces)]);
    expect(await answerOf(model)).toMatchObject({ text: 'héllo 世界', finish: 'stop' });
  });
});
