import { describe, expect, it } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEventBody } from '../../src/domain/run/event.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import { NO_USAGE } from '../../src/domain/run/usage.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createProcesses } from '../../src/host/create-processes.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { answer, hang, stallAfter, status } from '../../src/testing/index.ts';
import { eventsOf } from '../domain/runs.ts';
import { createInstance, delegating, openingOf, REPORT, resultsOf } from './instance.ts';

const custom = (more: object) => ({
  name: 'own',
  risk: 'read' as const,
  family: 'custom',
  description: 'x',
  parameters: { type: 'object' },
  parse: (args: unknown) => ({ ok: true as const, value: args }),
  execute: async () => ({ status: 'ok' as const, output: 'fine' }),
  ...more,
});

describe('probes', () => {
  it('2 parse throws', async () => {
    const bad = custom({
      parse: () => {
        throw new Error('boom');
      },
    });
    const instance = await createInstance(
      (request) => {
        if (!openingOf(request).startsWith('ROOT')) return instance.server.hold('gate', answer({ text: REPORT }));
        return resultsOf(request).length === 0
          ? answer({
              calls: [
                { name: 'agent', args: { task: 'x' } },
                { name: 'own', args: {} },
              ],
            })
          : answer({ text: 'went on' });
      },
      { extraTools: [bad] },
    );
    const handle = await instance.start('ROOT');
    const result = await Promise.race([
      handle.result,
      instance.server.whenHeld('gate').then(async () => {
        await new Promise((r) => setImmediate(r));
        instance.server.release('gate');
        return handle.result;
      }),
    ]);
    console.log(
      '2:',
      result.state,
      result.reason,
      result.answer,
      result.helpers.map((h) => h.state),
    );
  });
  it('3 tool calls limit', async () => {
    const instance = await createInstance(
      delegating([{ task: 'x' }], (request) =>
        resultsOf(request).length < 8
          ? answer({ calls: Array.from({ length: 8 }, () => ({ name: 'list', args: {} })) })
          : answer({ text: REPORT }),
      ),
      { limits: { helper_tool_calls: 3 } },
    );
    const result = await instance.run('ROOT');
    console.log('3:', result.helpers[0]?.tool_calls.length, result.helpers[0]?.state, result.helpers[0]?.reason);
  });
  it('4 unhandled', async () => {
    const seen: unknown[] = [];
    const on = (e: unknown) => seen.push(e);
    process.on('unhandledRejection', on);
    const instance = await createInstance(() => status(401, { error: { message: 'no' } }));
    await instance.start('go');
    await instance.server.whenRequests(1);
    await new Promise((r) => setTimeout(r, 200));
    process.off('unhandledRejection', on);
    console.log('4 unhandled:', seen.length);
  });
  it('6 replay of stopped runs', async () => {
    const instance = await createInstance(
      delegating([{ task: 'a' }, { task: 'b' }], (request) =>
        request.text.includes('task a') ? hang() : stallAfter('half'),
      ),
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenRequests(3);
    console.log('6 live', JSON.stringify((await instance.runtime.replay(handle.run_id))?.differences));
    handle.cancel('user');
    const result = await handle.result;
    for (const id of [result.run_id, ...result.helpers.map((h) => h.run_id)])
      console.log('6', result.state, JSON.stringify((await instance.runtime.replay(id))?.differences));
  });
  it('6b replay of stopped in tool, retry', async () => {
    const slow = custom({
      execute: (_a: unknown, c: { signal: AbortSignal }) =>
        new Promise((_r, reject) => c.signal.addEventListener('abort', () => reject(new Error('x')))),
    });
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length === 0
          ? answer({ text: 'hm', calls: [{ name: 'own', args: {} }] })
          : answer({ text: 'done' }),
      { extraTools: [slow as never] },
    );
    const handle = await instance.start('go');
    await instance.server.whenRequests(1);
    await instance.clock.whenPending(2);
    handle.cancel('user');
    const result = await handle.result;
    console.log('6b', result.state, JSON.stringify((await instance.runtime.replay(result.run_id))?.differences));
    // tool timed out
    const h2 = await instance.start('go', { limits: { wall_ms: 100_000 } });
    await instance.server.whenRequests(2);
    await instance.clock.whenPending(3);
    await instance.clock.advance(81_000);
    const r2 = await h2.result;
    console.log('6c', r2.state, r2.reason, JSON.stringify((await instance.runtime.replay(r2.run_id))?.differences));
    const h3 = await instance.start('go');
    await instance.server.whenRequests(4);
    await instance.clock.whenPending(2);
    await instance.clock.advance(301_000);
    const r3 = await h3.result;
    console.log('6d', r3.state, r3.reason, JSON.stringify((await instance.runtime.replay(r3.run_id))?.differences));
  });
  it('6e retry stop', async () => {
    const instance = await createInstance(() => status(503));
    const handle = await instance.start('go');
    await instance.server.whenRequests(1);
    await instance.clock.whenPending(2);
    handle.cancel('user');
    const result = await handle.result;
    console.log('6e', result.state, JSON.stringify((await instance.runtime.replay(result.run_id))?.differences));
    const h2 = await instance.start('go', { limits: { wall_ms: 1000 } });
    await instance.server.whenRequests(2);
    await instance.clock.whenPending(3);
    await instance.clock.advance(1_000);
    const r2 = await h2.result;
    console.log('6f', r2.state, r2.reason, JSON.stringify((await instance.runtime.replay(r2.run_id))?.differences));
  });
  it('6g queued cancel', async () => {
    const instance = await createInstance(
      delegating([{ task: 'a' }, { task: 'b' }], () => instance.server.hold('g', answer({ text: REPORT }))),
      { limits: { max_concurrent: 1, launch_concurrency: 1 } },
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenHeld('g');
    handle.cancel('user');
    const result = await handle.result;
    for (const h of result.helpers)
      console.log('6g', h.state, JSON.stringify((await instance.runtime.replay(h.run_id))?.differences));
  });
  it('17 replay with unoffered', async () => {
    const instance = await createInstance(
      delegating([{ task: 'a', role: 'consultant' }], (request) =>
        resultsOf(request).length === 0
          ? answer({ calls: [{ name: 'nonsense', args: {} }] })
          : answer({ text: REPORT }),
      ),
    );
    const result = await instance.run('ROOT');
    console.log('17', JSON.stringify((await instance.runtime.replay(result.helpers[0]!.run_id))?.differences));
  });
  it('9 fork', async () => {
    const instance = await createInstance((request) =>
      resultsOf(request).length < 2 ? answer({ calls: [{ name: 'list', args: {} }] }) : answer({ text: 'done' }),
    );
    const first = await instance.run('go');
    console.log('9', JSON.stringify(await instance.runtime.fork({ runId: first.run_id, step: 3 })));
  });
  it('10 withdrawn on resume', async () => {
    let code = 503;
    const instance = await createInstance(() => status(code, { error: { message: 'x' } }), { limits: { retries: 0 } });
    const first = await instance.run('go');
    code = 401;
    const resumed = await instance.runtime.resume({ runId: first.run_id });
    if (!resumed.ok) throw new Error('x');
    const end = await resumed.value.result.then(
      (r) => r.state,
      (e) => `rejected ${e.code}`,
    );
    console.log('10', first.state, end, (await instance.runtime.records()).length);
  });
  it('11 summary fault', async () => {
    let failed = 0;
    const instance = await createInstance(
      (request) => {
        const asked = request.messages.at(-1)?.['content'];
        if (typeof asked === 'string' && asked.startsWith('The conversation so far'))
          return ++failed < 2
            ? status(429, { error: { message: 'slow' } })
            : answer({ text: 'notes.txt:1 says first' });
        if (request.messages.length > 8)
          return status(400, {
            error: { message: 'maximum context length is 32768 tokens', code: 'context_length_exceeded' },
          });
        return request.text.includes('notes.txt:1 says')
          ? answer({ text: 'ok' })
          : answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
      },
      { realTime: true, limits: { retry_first_ms: 1, retry_longest_ms: 2 } },
    );
    const result = await instance.run('go');
    console.log('11', result.state, result.reason, result.message);
  });
  it('7 resume child while root lives', async () => {
    let stubborn = true;
    const instance = await createInstance(
      (request) => {
        const opening = openingOf(request);
        if (!opening.startsWith('ROOT'))
          return stubborn || resultsOf(request).length < 2
            ? answer({ text: 'l', calls: [{ name: 'list', args: {} }] })
            : instance.server.hold('helper', answer({ text: REPORT }));
        if (resultsOf(request).length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'x' } }] });
        return instance.server.hold('root', answer({ text: 'merged' }));
      },
      { limits: { helper_steps: 2 } },
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenHeld('root');
    const helper = (await instance.runtime.records()).find((r) => r.parent_id)!;
    stubborn = false;
    const resumed = await instance.runtime
      .resume({ runId: helper.run_id, limits: { steps: 9 } })
      .catch((e) => ({ ok: false as const, error: e }));
    console.log('7 resumed', resumed.ok, resumed.ok ? '' : String(resumed.error.message ?? resumed.error));
    if (resumed.ok) {
      await instance.server.whenHeld('helper');
      instance.server.release('helper');
      console.log(
        '7 child',
        await resumed.value.result.then(
          (r) => r.state,
          (e) => e.message,
        ),
      );
    }
    instance.server.release('root');
    console.log(
      '7 root',
      await handle.result.then(
        (r) => r.state,
        (e) => e.message,
      ),
    );
  });
  it('8 onText throws', async () => {
    const instance = await createInstance(() => answer({ text: 'done' }));
    const handle = await instance.start('go');
    handle.observeText(() => {
      throw new Error('view broke');
    });
    const r = await handle.result;
    console.log('8', r.state, r.reason);
  });
  it('14 twice at once', async () => {
    const instance = await createInstance(() => answer({ text: 'done' }));
    const first = await instance.run('go');
    const two = await Promise.all([1, 2].map(() => instance.runtime.resume({ runId: first.run_id })));
    console.log('14', new Set(two.map((r) => r.ok && r.value.run_id)).size);
  });
  it('15 summarised with prefix', async () => {
    const instance = await createInstance((request) => {
      const asked = request.messages.at(-1)?.['content'];
      if (typeof asked === 'string' && asked.startsWith('The conversation so far'))
        return answer({ text: 'SUMMARY-NOTE' });
      if (request.text.includes('SUMMARY-NOTE'))
        return answer({ text: `sees: ${request.text.includes('the new task')}` });
      if (!request.text.includes('the new task')) return answer({ text: 'first answer' });
      if (request.messages.length > 12)
        return status(400, {
          error: { message: 'maximum context length is 32768 tokens', code: 'context_length_exceeded' },
        });
      return answer({ text: 'more', calls: [{ name: 'list', args: {} }] });
    });
    const first = await instance.run('the old task');
    const resumed = await instance.runtime.resume({ runId: first.run_id, message: 'the new task' });
    if (!resumed.ok) throw new Error();
    console.log('15', (await resumed.value.result).answer);
  });
});
