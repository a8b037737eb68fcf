import { describe, expect, it } from 'vitest';
import {
  answer,
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
import { createInstance, resultsOf } from './instance.ts';

const error = (message: string, more: object = {}) => ({ error: { message, ...more } });
const JSON_HEADERS = { 'content-type': 'application/json' };

/** What the server does, how the run ends, whether it was tried again. `-`: the first call of a run that is then withdrawn. */
const FAULTS: readonly [string, Reply, string, boolean][] = [
  ['a reset before the answer', resetAfter(''), 'interrupted provider', true],
  ['a reset in the middle', resetAfter('half'), 'interrupted provider', true],
  ['a cut connection', cutAfter('half'), 'interrupted provider', true],
  ['a stall before the first byte', hang(), 'interrupted provider', true],
  ['a stall in the middle', stallAfter('half'), 'interrupted provider', true],
  ['400', status(400, error('no such parameter')), 'failed provider_refused', false],
  ['401', status(401, error('bad key')), 'failed provider_refused', false],
  ['403', status(403, error('not yours')), 'failed provider_refused', false],
  ['404', status(404, error('no such model')), 'failed provider_refused', false],
  ['408', status(408, error('too slow')), 'interrupted provider', true],
  ['413', status(413, error('too large')), 'interrupted context', false],
  ['429', status(429, error('slow down')), 'interrupted provider', true],
  ['429 with Retry-After', status(429, error('slow down'), { 'retry-after-ms': '2' }), 'interrupted provider', true],
  ['500', status(500, error('oops')), 'interrupted provider', true],
  ['502', status(502, '<html>bad gateway</html>'), 'interrupted provider', true],
  ['529', status(529, error('overloaded')), 'interrupted provider', true],
  ['half JSON', malformed('data: {"choices": [{"del'), 'interrupted provider', true],
  [
    'a wrong content type',
    malformed('<html>hello</html>', { 'content-type': 'text/html' }),
    'interrupted provider',
    true,
  ],
  ['an endless stream', endless('again '), 'interrupted wall', false],
  ['a stream that stops without an end', endWithoutFinish('half'), 'interrupted provider', true],
  [
    '200 with an error inside',
    malformed(JSON.stringify(error('overloaded', { code: 503 })), JSON_HEADERS),
    'interrupted provider',
    true,
  ],
  ['an error in mid-stream', malformed(event(error('overloaded', { code: 503 }))), 'interrupted provider', true],
];

describe('what a provider may do to a run', () => {
  it.each(FAULTS)(
    '[MOD-6] [DUR-7] [PAIN-1] %s: ends in its named state, with what was finished kept',
    async (name, reply, ending, retried) => {
      const limits = {
        retries: 2,
        retry_first_ms: 1,
        retry_longest_ms: 2,
        stream_idle_timeout_ms: name.includes('stall') ? 500 : 20_000,
      };
      const instance = await createInstance(
        (request) =>
          resultsOf(request).length === 0
            ? answer({ text: 'the first step', calls: [{ name: 'list', args: {} }] })
            : reply,
        { limits, realTime: true },
      );
      const wall_ms = ending === 'interrupted wall' ? 1_500 : null;
      const result = await instance.run('go', { limits: { wall_ms } });
      expect(`${result.state} ${result.reason}`).toBe(ending);
      expect(result.partial).toBe(true);
      expect(result.answer).toMatch(/^the first step/u);
      expect(result.message).toMatch(/\.$/u);
      const failures = instance.events.filter((recorded) => recorded.type === 'model.failed');
      expect(failures).toHaveLength(retried ? 3 : 1);
      expect(result.usage.own.unknown_calls).toBeGreaterThanOrEqual(failures.length);
      await instance.server.whenIdle();
      expect(await instance.runtime.replay(result.run_id)).toMatchObject({ differences: [] });
    },
  );

  it('[MOD-6] a port where nobody listens: interrupted, within the retries', async () => {
    const instance = await createInstance(() => answer({ text: 'never' }), {
      limits: { retries: 2, retry_first_ms: 1, retry_longest_ms: 2 },
      realTime: true,
    });
    await instance.server.close();
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'interrupted', reason: 'provider', partial: false });
    expect(result.message).toMatch(/3 times in a row/u);
  });

  it('[MOD-6] a fault that passes costs nothing but the wait, which is announced', async () => {
    let calls = 0;
    const instance = await createInstance(() =>
      ++calls < 3 ? status(429, error('slow down'), { 'retry-after': '7' }) : answer({ text: 'made it' }),
    );
    const handle = await instance.start('go');
    for (const wait of [7_000, 7_000]) {
      await instance.server.whenRequests(calls + 0 || 1);
      await instance.clock.whenPending(2);
      await instance.clock.advance(wait);
    }
    const result = await handle.result;
    expect(result).toMatchObject({ state: 'completed', answer: 'made it' });
    const waits = instance.events.flatMap((recorded) =>
      recorded.type === 'model.failed' ? [recorded.retry_in_ms] : [],
    );
    expect(waits).toEqual([7_000, 7_000]);
    expect(instance.events.some((recorded) => recorded.type === 'run.waiting' && recorded.on === 'retry')).toBe(true);
  });

  it('[MOD-9] duplicate ids of tool calls do not mix up their results', async () => {
    const same = { call_id: 'same' };
    const instance = await createInstance((request) =>
      resultsOf(request).length === 0
        ? answer({
            calls: [
              { name: 'list', args: {}, ...same },
              { name: 'read', args: { path: 'notes.txt' }, ...same },
            ],
          })
        : answer({ text: resultsOf(request).join('|') }),
    );
    const result = await instance.run('go');
    expect(result.answer).toMatch(/^notes\.txt\|.*first line/su);
  });

  it('[MOD-7] a run without a sign of life for the heartbeat window is stopped, its slot freed, its record kept', async () => {
    const stuck = {
      name: 'stuck',
      risk: 'read' as const,
      family: 'custom',
      description: 'Never ends by itself.',
      parameters: { type: 'object' },
      parse: (args: unknown) => ({ ok: true as const, value: args }),
      execute: (_args: unknown, context: { readonly signal: AbortSignal }) =>
        new Promise<never>((_resolve, reject) =>
          context.signal.addEventListener('abort', () => reject(new Error('stopped'))),
        ),
    };
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length === 0
          ? answer({ text: 'so far', calls: [{ name: 'stuck', args: {} }] })
          : answer({ text: 'x' }),
      { limits: { heartbeat_ms: 60_000, max_concurrent: 1, launch_concurrency: 1 }, extraTools: [stuck] },
    );
    const handle = await instance.start('go');
    await instance.server.whenRequests(1);
    await instance.clock.whenPending(3);
    await instance.clock.advance(61_000);
    expect(await handle.result).toMatchObject({
      state: 'interrupted',
      reason: 'stalled',
      partial: true,
      answer: 'so far',
    });
    // The only slot is free again: another run gets through.
    const next = await instance.start('next');
    await instance.server.whenRequests(2);
    await instance.clock.advance(61_000);
    expect(await next.result).toMatchObject({ state: 'interrupted' });
  });
});
