import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type WireOptions, wire } from '../../src/app/wire.ts';
import { DEFAULT_LIMITS } from '../../src/domain/run/limits.ts';
import type { Model, ModelOutcome } from '../../src/ports/model.ts';
import type { RunHandle, Runtime } from '../../src/ports/runtime.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { answer, createTestClock, type ScriptedRequest, status } from '../../src/testing/index.ts';
import { createInstance, delegating, openingOf, REPORT, resultsOf } from './instance.ts';

/** The handle of a run that goes on. */
async function resume(runtime: Runtime, request: Parameters<Runtime['resume']>[0]): Promise<RunHandle> {
  const resumed = await runtime.resume(request);
  if (!resumed.ok) throw new Error(resumed.error.message);
  return resumed.value;
}

const partOf = (request: ScriptedRequest) => /part (\w+)/u.exec(openingOf(request))?.[1] ?? 'root';

describe('runs of one tree that go on in one process', () => {
  it('[DUR-4] [RUN-2] a helper can go on while its root is at work, and neither harms the other', async () => {
    let stubborn = true;
    const instance = await createInstance(
      (request) => {
        if (partOf(request) === 'root' && resultsOf(request).length === 0)
          return answer({ calls: [{ name: 'agent', args: { task: 'part a' } }] });
        if (partOf(request) === 'root') return instance.server.hold('root', answer({ text: 'merged' }));
        return stubborn
          ? answer({ text: 'looking', calls: [{ name: 'list', args: {} }] })
          : instance.server.hold('helper', answer({ text: REPORT }));
      },
      { limits: { helper_steps: 2 } },
    );
    const root = await instance.start('ROOT');
    await instance.server.whenHeld('root');
    stubborn = false;
    const [, record] = await instance.runtime.records();
    const helper = await resume(instance.runtime, { runId: record?.run_id ?? '', limits: { steps: 9 } });
    await instance.server.whenHeld('helper');
    instance.server.release('root');
    expect(await root.result).toMatchObject({ state: 'completed', answer: 'merged' });
    instance.server.release('helper');
    expect(await helper.result).toMatchObject({ state: 'completed', answer: REPORT });
  });

  it('[DUR-4] [DUR-6] one that ends while another is being set going does not take the lease with it', async () => {
    let down = true;
    const gate = Promise.withResolvers<void>();
    const instance = await createInstance(
      delegating([{ task: 'part a' }, { task: 'part b' }], (request) =>
        down ? status(503) : instance.server.hold(partOf(request), answer({ text: REPORT })),
      ),
      { limits: { retries: 0 } },
    );
    const { helpers } = await instance.run('ROOT');
    down = false;
    const [a, b] = helpers.map((helper) => helper.run_id);
    const first = await resume(instance.runtime, { runId: a ?? '' });
    await instance.server.whenHeld('a');
    const asked = Promise.withResolvers<void>();
    const records = instance.journal.records.bind(instance.journal);
    instance.journal.records = async (filter) => {
      asked.resolve();
      await gate.promise;
      return records(filter);
    };
    const second = resume(instance.runtime, { runId: b ?? '' });
    await asked.promise;
    instance.server.release('a');
    while (!instance.events.some((event) => event.run_id === a && event.type === 'run.settled' && event.ending === 2))
      await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect(await first.result).toMatchObject({ state: 'completed' });
    await instance.server.whenHeld('b');
    instance.server.release('b');
    expect(await (await second).result).toMatchObject({ state: 'completed' });
  });

  it('[DUR-4] asked for twice at once, a run goes on once, and one that has ended gets one successor', async () => {
    let down = true;
    const instance = await createInstance(
      () => (down ? status(503) : instance.server.hold('gate', answer({ text: 'done' }))),
      { limits: { retries: 0 } },
    );
    const { run_id } = await instance.run('go');
    down = false;
    const twice = await Promise.all([1, 2].map(() => instance.runtime.resume({ runId: run_id })));
    expect(twice.map((resumed) => (resumed.ok ? 'goes on' : resumed.error.code))).toEqual(['goes on', 'running']);
    await instance.server.whenHeld('gate');
    instance.server.release('gate');
    expect(await (twice[0]?.ok ? twice[0].value.result : null)).toMatchObject({ state: 'completed' });
    const successors = await Promise.all([1, 2].map(() => resume(instance.runtime, { runId: run_id })));
    expect(new Set(successors.map((handle) => handle.run_id)).size).toBe(1);
    await instance.server.whenHeld('gate');
    instance.server.release('gate');
    for (const handle of successors) expect(await handle.result).toMatchObject({ state: 'completed' });
    expect(await instance.runtime.records()).toHaveLength(2);
  });

  it('[DUR-4] [DEL-1] two calls of one step that continue the same helper get the same one, in the folder of the first', async () => {
    let first = '';
    const instance = await createInstance((request) => {
      const results = resultsOf(request);
      if (partOf(request) !== 'root') {
        if (results.length === 0) return answer({ calls: [{ name: 'list', args: {} }] });
        return answer({ text: `${results.at(-1)}\n${REPORT}` });
      }
      first ||= /run="(run_\w+)"/u.exec(results[0] ?? '')?.[1] ?? '';
      if (results.length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'part a', cwd: 'inner' } }] });
      if (results.length > 1) return answer({ text: results.slice(1).join('|') });
      const more = { name: 'agent', args: { task: 'part a again', resume_from: first } };
      return answer({ calls: [more, more] });
    });
    mkdirSync(join(instance.folder, 'inner'));
    writeFileSync(join(instance.folder, 'inner', 'own.txt'), 'x');
    const result = await instance.run('ROOT');
    expect(result.helpers).toHaveLength(2);
    expect(result.answer.match(/run="run_\w+"/gu)).toEqual(Array(2).fill(`run="${result.helpers[1]?.run_id}"`));
    const [, again] = await instance.runtime.records().then((records) => records.filter((record) => record.parent_id));
    expect(again?.cwd).toMatch(/inner$/u);
  });

  it('[LIM-1] [DUR-4] a helper that goes on beside its root counts with it', async () => {
    let down = true;
    const instance = await createInstance(
      (request) => {
        const results = resultsOf(request);
        if (partOf(request) === 'root') {
          if (results.length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'part a' } }] });
          if (results.length > 1) return answer({ text: results.at(-1) ?? '' });
          return instance.server.hold('root', answer({ calls: [{ name: 'agent', args: { task: 'part c' } }] }));
        }
        if (partOf(request) !== 'a') return answer({ text: REPORT });
        if (down) return status(503);
        return results.length === 0
          ? answer({ calls: [{ name: 'agent', args: { task: 'part b' } }] })
          : answer({ text: REPORT });
      },
      { limits: { max_per_turn: 2, retries: 0 } },
    );
    const root = await instance.start('ROOT');
    await instance.server.whenHeld('root');
    down = false;
    const [, record] = await instance.runtime.records();
    const helper = await resume(instance.runtime, { runId: record?.run_id ?? '' });
    expect(await helper.result).toMatchObject({ state: 'completed', helpers: [{ state: 'completed' }] });
    instance.server.release('root');
    expect((await root.result).answer).toMatch(/used 2 of its 2 helpers/u);
  });
});

describe('a stop', () => {
  it('[SUR-4] [RUN-2] reaches a run that is just being set going', async () => {
    let down = true;
    const instance = await createInstance(() => (down ? status(503) : answer({ text: 'done' })), {
      limits: { retries: 0 },
    });
    const { run_id } = await instance.run('go');
    down = false;
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const getBlob = instance.journal.getBlob.bind(instance.journal);
    instance.journal.getBlob = async (address) => {
      asked.resolve();
      await gate.promise;
      return getBlob(address);
    };
    const resumed = resume(instance.runtime, { runId: run_id });
    await asked.promise;
    const stopped = instance.runtime.stop(run_id, 'user');
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    gate.resolve();
    expect(await stopped).toMatchObject({ kind: 'stopped', record: { state: 'cancelled', reason: 'user' } });
    expect(await (await resumed).result).toMatchObject({ state: 'cancelled', reason: 'user' });
  });
});

/** A model that answers by itself, without a server. */
function modelNamed(name: string, reply: () => Promise<ModelOutcome>): Model {
  return { name, call: reply };
}

const said = (text: string, calls: object[] = []): ModelOutcome => ({
  kind: 'answer',
  text,
  calls: calls.map((args, index) => ({ call_id: `c${index}`, name: 'agent', args: JSON.stringify(args) })),
  finish: calls.length > 0 ? 'tool_calls' : 'stop',
  usage: null,
  modelUsed: null,
});

describe('admission', () => {
  it('[LIM-3] holds exactly, however the launches of a step fall together', async () => {
    const clock = createTestClock();
    const done = Promise.withResolvers<void>();
    let asked = 0;
    const root = modelNamed('m/root', async () => {
      if (asked++ > 0) return said('merged');
      return said(
        '',
        Array.from({ length: 24 }, (_, hops) => ({ task: 'x', model: `m/${hops}` })),
      );
    });
    const options: WireOptions = {
      journal: createMemoryJournal(),
      models: {
        // Each connects a little later than the one before, so that their launches fall into every gap.
        async connect(name) {
          for (let hops = Number(name.slice(2)); hops > 0; hops--) await null;
          const helper = modelNamed(name, () => done.promise.then(() => said(REPORT)));
          return { ok: true, value: name === 'm/root' ? root : helper };
        },
      },
      limits: { ...DEFAULT_LIMITS, max_admitted: 2, max_per_turn: 100 },
      clock,
      mode: 'run',
    };
    const runtime = await wire(options);
    onTestFinished(() => runtime.close());
    const started = await runtime.start({ task: 'go', model: 'm/root', cwd: '/' });
    if (!started.ok) throw new Error(started.error.message);
    started.value.observe((events) => {
      if (events.some((event) => event.type === 'model.started' && event.parent_id !== null)) done.resolve();
    });
    expect((await started.value.result).helpers).toHaveLength(1);
  });
});
