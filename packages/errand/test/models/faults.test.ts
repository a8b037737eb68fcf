import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { FaultCode } from '../../src/domain/run/event.ts';
import {
  answer,
  createScriptedServer,
  createTestClock,
  cutAfter,
  endless,
  endWithoutFinish,
  event,
  hang,
  malformed,
  type Reply,
  resetAfter,
  stallAfter,
  status,
} from '../../src/testing/index.ts';
import { connectTo, faultOf, KEY, serve, watch } from './calls.ts';

const WORDS = { error: { message: 'their words', type: 'some_error' } };
const SOME_TEXT = event({ id: 'x', choices: [{ index: 0, delta: { content: 'some text' }, finish_reason: null }] });

interface Case {
  readonly what: string;
  readonly reply: Reply;
  readonly code: FaultCode;
  readonly retryable: boolean;
  readonly status?: number;
  /** Part of the message. */
  readonly says: string;
  readonly text?: string;
}

const CASES: readonly Case[] = [
  {
    what: '400',
    reply: status(400, WORDS),
    code: 'refused_request',
    retryable: false,
    status: 400,
    says: 'their words',
  },
  { what: '401', reply: status(401, WORDS), code: 'refused_key', retryable: false, status: 401, says: 'check the key' },
  {
    what: '402',
    reply: status(402, WORDS),
    code: 'refused_request',
    retryable: false,
    status: 402,
    says: 'no credit left',
  },
  {
    what: '403',
    reply: status(403, WORDS),
    code: 'refused_key',
    retryable: false,
    status: 403,
    says: "check the key's rights",
  },
  {
    what: '404',
    reply: status(404, WORDS),
    code: 'unknown_model',
    retryable: false,
    status: 404,
    says: 'knows no model "m", or its base URL http://127.0.0.1:',
  },
  { what: '405', reply: status(405, ''), code: 'refused_request', retryable: false, status: 405, says: 'HTTP 405' },
  { what: '408', reply: status(408, WORDS), code: 'timeout', retryable: true, status: 408, says: 'gave up waiting' },
  { what: '409', reply: status(409, WORDS), code: 'overloaded', retryable: true, status: 409, says: 'try again' },
  {
    what: '413',
    reply: status(413, '<html>Too large</html>'),
    code: 'context_overflow',
    retryable: false,
    status: 413,
    says: 'split the task',
  },
  {
    what: '422',
    reply: status(422, { detail: 'effort?' }),
    code: 'refused_request',
    retryable: false,
    status: 422,
    says: 'effort?',
  },
  { what: '429', reply: status(429, WORDS), code: 'rate_limited', retryable: true, status: 429, says: 'fewer helpers' },
  { what: '500', reply: status(500, WORDS), code: 'overloaded', retryable: true, status: 500, says: 'their words' },
  {
    what: '502 with a page',
    reply: status(502, '<html><h1>Bad\nGateway</h1></html>'),
    code: 'overloaded',
    retryable: true,
    status: 502,
    says: 'HTTP 502: Bad Gateway',
  },
  {
    what: '503 without a body',
    reply: status(503, ''),
    code: 'overloaded',
    retryable: true,
    status: 503,
    says: '(HTTP 503)',
  },
  {
    what: '529',
    reply: status(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    code: 'overloaded',
    retryable: true,
    status: 529,
    says: 'Overloaded',
  },
  {
    what: '400 that tells of a full context',
    reply: status(400, {
      error: { message: "This model's maximum context length is 8192 tokens.", code: 'context_length_exceeded' },
    }),
    code: 'context_overflow',
    retryable: false,
    status: 400,
    says: 'larger context',
  },
  {
    what: '429 that tells of an empty account',
    reply: status(429, { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } }),
    code: 'refused_request',
    retryable: false,
    status: 429,
    says: 'no credit left',
  },
  {
    what: 'a redirect',
    reply: status(307, '', { location: 'https://elsewhere.example/v1?token=abc' }),
    code: 'refused_request',
    retryable: false,
    status: 307,
    says: 'redirects to https://elsewhere.example/v1 (',
  },
  {
    what: 'a connection cut before the answer',
    reply: cutAfter(''),
    code: 'unreachable',
    retryable: true,
    says: 'before it answered',
  },
  {
    what: 'a reset before the answer',
    reply: resetAfter(''),
    code: 'unreachable',
    retryable: true,
    says: 'before it answered (ECONNRESET)',
  },
  {
    what: 'a connection cut in the middle',
    reply: cutAfter('some text'),
    code: 'cut',
    retryable: true,
    says: 'broke off',
    text: 'some text',
  },
  {
    what: 'a stream that stops without an end',
    reply: endWithoutFinish('some text'),
    code: 'cut',
    retryable: true,
    says: 'broke off',
    text: 'some text',
  },
  { what: 'an empty stream', reply: malformed(''), code: 'cut', retryable: true, says: 'broke off' },
  {
    what: 'half JSON',
    reply: malformed([SOME_TEXT, 'data: {"id":"x","choices":[{"ind\n\n']),
    code: 'bad_answer',
    retryable: true,
    says: '{"id":"x","choices":[{"ind',
    text: 'some text',
  },
  {
    what: 'JSON that is no chunk',
    reply: malformed('data: {"choices":"none"}\n\n'),
    code: 'bad_answer',
    retryable: true,
    says: '{"choices":"none"}',
  },
  {
    what: 'a call without a name',
    reply: malformed(
      event({
        id: 'x',
        choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] } }],
      }),
    ),
    code: 'bad_answer',
    retryable: true,
    says: 'name',
  },
  {
    what: 'a wrong content type',
    reply: malformed('<html>Welcome</html>', { 'content-type': 'text/html' }),
    code: 'bad_answer',
    retryable: true,
    says: 'text/html in place of an event stream: "<html>Welcome</html>"',
  },
  {
    what: 'JSON in place of a stream',
    reply: malformed('{"ok":true}', { 'content-type': 'application/json' }),
    code: 'bad_answer',
    retryable: true,
    says: 'application/json',
  },
  {
    what: '200 with an error inside, as JSON',
    reply: malformed('{"error":{"message":"Overloaded","code":503}}', { 'content-type': 'application/json' }),
    code: 'overloaded',
    retryable: true,
    status: 503,
    says: 'Overloaded',
  },
  {
    what: '200 with an error inside, as an event',
    reply: malformed(event({ error: { message: 'Invalid API key', code: 'invalid_api_key' } })),
    code: 'refused_key',
    retryable: false,
    says: 'Invalid API key',
  },
  {
    what: 'an error in the middle, by type',
    reply: malformed([SOME_TEXT, event({ error: { message: 'Slow down', type: 'rate_limit_error' } })]),
    code: 'rate_limited',
    retryable: true,
    says: 'Slow down',
    text: 'some text',
  },
  {
    what: 'an error in the middle, by status',
    reply: malformed([SOME_TEXT, event({ error: { message: 'Provider returned error', code: 502 } })]),
    code: 'overloaded',
    retryable: true,
    status: 502,
    says: 'Provider returned error',
    text: 'some text',
  },
  {
    what: 'an error in the middle, as a text',
    reply: malformed([SOME_TEXT, event({ error: 'context window is full' })]),
    code: 'context_overflow',
    retryable: false,
    says: 'context window is full',
    text: 'some text',
  },
  {
    what: 'an error in the middle that says nothing',
    reply: malformed([SOME_TEXT, event({ error: {} })]),
    code: 'bad_answer',
    retryable: true,
    says: 'an error without a reason',
    text: 'some text',
  },
];

describe('a fault of a provider', () => {
  test.each(CASES)('[MOD-6] $what is $code', async ({ reply, code, retryable, status: expected, says, text = '' }) => {
    const { server, model } = await serve([reply]);
    const { outcome, seen } = watch(model);
    const result = await outcome;
    expect(result).toMatchObject({ kind: 'fault', fault: { code, retryable } });
    if (result.kind !== 'fault') return;
    expect(result.fault.status).toBe(expected);
    expect(result.fault.message).toMatch(/connection "mock"/iu);
    expect(result.fault.message).toContain(says);
    expect(result.fault.message).not.toContain('\n');
    expect(seen.text).toBe(text);
    await server.whenIdle();
    expect(server.requests).toHaveLength(1);
  });

  test('[MOD-6] a stream that goes on after its error is closed', async () => {
    const goesOn = { send: event({ error: { message: 'Overloaded', code: 529 } }) };
    const { server, model } = await serve([(request) => ({ ...endless()(request), steps: [goesOn, { stall: true }] })]);
    expect((await faultOf(model)).fault.code).toBe('overloaded');
    await server.until(() => server.openConnections() === 0);
  });

  test('[MOD-6] a port that refuses is unreachable, and the message says where', async () => {
    const server = await createScriptedServer([]);
    await server.close();
    const { fault } = await faultOf(await connectTo(server.url));
    expect(fault).toMatchObject({ code: 'unreachable', retryable: true });
    expect(fault.message).toContain(`Nothing answers at ${server.url}, connection "mock" (ECONNREFUSED)`);
  });

  test('[MOD-6] a host that does not exist is unreachable', async () => {
    const { fault } = await faultOf(await connectTo('http://nowhere.invalid/v1'));
    expect(fault).toMatchObject({ code: 'unreachable' });
    expect(fault.message).toMatch(/nowhere\.invalid\/v1.*\((?:ENOTFOUND|EAI_AGAIN)\)/u);
  });

  test('[MOD-6] an address that is none is unreachable for good', async () => {
    const { fault } = await faultOf(await connectTo('ftp://host/v1'));
    expect(fault).toMatchObject({ code: 'unreachable', retryable: false });
  });

  test('[MOD-6] a server without TLS behind https is unreachable for good', async () => {
    const server = await createScriptedServer([]);
    onTestFinished(() => server.close());
    const { fault } = await faultOf(await connectTo(server.url.replace('http:', 'https:')));
    expect(fault).toMatchObject({ code: 'unreachable', retryable: false });
    expect(fault.message).toContain('No secure connection');
  });

  test('[MOD-6] something that is no HTTP is a bad answer', async () => {
    const server = createServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end('220 mail ready\r\n'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { fault } = await faultOf(await connectTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`));
    expect(fault).toMatchObject({ code: 'bad_answer', retryable: true });
  });
});

describe('the time of a call', () => {
  const late: readonly (readonly [string, Reply, string])[] = [
    ['before the answer', hang(), ''],
    ['in the middle', stallAfter('some text'), 'some text'],
    ['while the stream never ends', endless('more '), 'more '],
    ['within the body of an error', () => ({ status: 500, steps: [{ send: '{"error":' }, { stall: true }] }), ''],
  ];
  test.each(late)('[MOD-6] runs out %s: the stream is closed', async (_, reply, text) => {
    const clock = createTestClock();
    const { server, model } = await serve([reply], { clock, callTimeoutMs: 5000 });
    const { outcome, seen, whenText } = watch(model);
    await server.whenRequests(1);
    await whenText(text);
    await clock.advance(5000);
    expect(await outcome).toMatchObject({ kind: 'fault', fault: { code: 'timeout', retryable: true } });
    expect(seen.text.startsWith(text)).toBe(true);
    await server.whenIdle();
    expect(clock.pending).toBe(0);
  });

  test('[MOD-6] leaves no timer behind when the answer comes', async () => {
    const clock = createTestClock();
    const { model } = await serve([answer({ text: 'hi' })], { clock });
    expect((await watch(model).outcome).kind).toBe('answer');
    expect(clock.pending).toBe(0);
  });
});

describe('Retry-After', () => {
  const now = Date.UTC(2026, 10, 1);
  const date = new Date(now + 90_000).toUTCString();
  const told: readonly (readonly [string, Reply, number | undefined])[] = [
    ['seconds', status(429, WORDS, { 'retry-after': '7' }), 7000],
    ['parts of a second', status(503, WORDS, { 'retry-after': '0.25' }), 250],
    ['a date', status(429, WORDS, { 'retry-after': date }), 90_000],
    ['a date gone by', status(429, WORDS, { 'retry-after': new Date(0).toUTCString() }), 0],
    ['milliseconds', status(429, WORDS, { 'retry-after-ms': '1500', 'retry-after': '2' }), 1500],
    ['the body', status(429, { error: { message: 'x', details: [{ retryDelay: '12s' }] } }), 12_000],
    ['nothing', status(429, WORDS), undefined],
    ['nonsense', status(429, WORDS, { 'retry-after': 'soon' }), undefined],
    ['a refusal, which no waiting helps', status(401, WORDS, { 'retry-after': '7' }), undefined],
  ];
  test.each(told)('[MOD-6] is read from %s', async (_, reply, expected) => {
    const { model } = await serve([reply], { clock: createTestClock(now) });
    expect((await faultOf(model)).retryAfterMs).toBe(expected);
  });
});

describe('secrets', () => {
  const echoes: readonly (readonly [string, Reply])[] = [
    ['in an error', status(401, { error: { message: `Incorrect API key provided: ${KEY}.` } })],
    ['cut short', status(401, { error: { message: `Incorrect API key provided: ${KEY.slice(0, 16)}...` } })],
    ['in a page', status(500, `<p>Authorization: Bearer ${KEY}</p>`)],
    ['in a stream', malformed(event({ error: { message: `bad key ${KEY}`, code: 'invalid_api_key' } }))],
    ['in half JSON', malformed(`data: {"key":"${KEY}\n\n`)],
    ['in a wrong answer', malformed(`Hello ${KEY}`, { 'content-type': 'text/html' })],
    ['in a redirect', status(302, '', { location: `https://elsewhere.example/${KEY}` })],
    ['from another header', status(400, { error: { message: 'token tok-FAKE-987654321 is unknown' } })],
  ];
  test.each(echoes)('[AUTH-9] a key echoed by a provider is not in the fault: %s', async (_, reply) => {
    const { model } = await serve([reply], { headers: { 'x-token': 'Token tok-FAKE-987654321' } });
    const outcome = JSON.stringify(await faultOf(model));
    expect(outcome).not.toContain(KEY.slice(0, 12));
    expect(outcome).not.toContain('tok-FAKE');
    expect(outcome).toContain('[redacted]');
  });
});
