import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LEASE_MS } from '../../src/engine/supervisor/take-over.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { answer } from '../../src/testing/index.ts';
import { createInstance, delegating, type Instance, REPORT } from './instance.ts';

describe('competing endings', () => {
  it('[RUN-2] one wins, the others publish nothing, in whatever order they come', async () => {
    const instance = await createInstance((request) => {
      const name = /run (\d+)/u.exec(request.text)?.[1];
      return instance.server.hold(`gate${name}`, answer({ text: 'an answer' }));
    });
    let count = 0;
    const acts = fc.shuffledSubarray(['user', 'signal', 'session_end', 'wall', 'answer'] as const, { minLength: 2 });
    await fc.assert(
      fc.asyncProperty(acts, async (order) => {
        const number = ++count;
        const handle = await instance.start(`run ${number}`, { limits: { wall_ms: 10_000 } });
        await instance.server.whenHeld(`gate${number}`);
        for (const act of order) {
          if (act === 'wall') await instance.clock.advance(10_000);
          else if (act === 'answer') instance.server.release(`gate${number}`);
          else handle.cancel(act);
        }
        instance.server.release(`gate${number}`);
        const result = await handle.result;
        const settled = (await instance.runtime.events(handle.run_id)).filter((event) => event.type === 'run.settled');
        expect(settled).toHaveLength(1);
        const first = order.find((act) => act !== 'answer');
        const winners = [first === 'wall' ? 'interrupted wall' : `cancelled ${first}`];
        // An answer let go before the first stop may still come first.
        if (order[0] === 'answer') winners.push('completed null');
        expect(winners).toContain(`${result.state} ${result.reason}`);
      }),
      { numRuns: 40 },
    );
    expect(instance.clock.pending).toBe(0);
  });
});

describe('several instances on one store', () => {
  it('[LIM-2] [DUR-6] together they never take more slots than the store has, and all their runs end', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-shared-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const limits = { max_concurrent: 2, launch_concurrency: 2 };
    const clock = createSystemClock();
    let most = 0;
    const script = delegating([{ task: 'one' }, { task: 'two' }, { task: 'three' }, { task: 'four' }], async () => {
      const live = (await instances[0]?.runtime.records({ live: true })) ?? [];
      most = Math.max(most, live.filter((record) => record.state === 'running').length);
      return answer({ text: REPORT });
    });
    const instances: Instance[] = [];
    for (let index = 0; index < 3; index++) {
      instances.push(
        await createInstance(script, { limits, journal: openSqliteJournal({ folder, clock }), realTime: true }),
      );
    }
    const results = await Promise.all(instances.map((instance) => instance.run('ROOT')));
    for (const result of results) {
      expect(result.state).toBe('completed');
      expect(result.helpers.map((helper) => helper.state)).toEqual(Array(4).fill('completed'));
    }
    expect(most).toBe(2);
  });

  it('[RUN-2] [DUR-6] a run that lives elsewhere is not taken, and its record is read all the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-shared-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const clock = createSystemClock();
    const first = await createInstance(() => first.server.hold('gate', answer({ text: 'mine' })), {
      journal: openSqliteJournal({ folder, clock }),
      realTime: true,
    });
    const handle = await first.start('go');
    await first.server.whenHeld('gate');
    const second = await createInstance(() => answer({ text: 'theirs' }), {
      journal: openSqliteJournal({ folder, clock }),
      realTime: true,
    });
    expect(await second.runtime.records()).toMatchObject([{ run_id: handle.run_id, state: 'running' }]);
    const stopped = second.runtime.stop(handle.run_id, 'user');
    expect(await handle.result).toMatchObject({ state: 'cancelled', reason: 'user' });
    expect(await stopped).toMatchObject({ kind: 'stopped', record: { state: 'cancelled' } });
  });

  it('[DUR-4] [DUR-6] asked by several at the same instant, a run that is over is gone on with by one new run', async () => {
    const script = () => answer({ text: 'once more' });
    const journal = createMemoryJournal();
    const first = await createInstance(script, { journal });
    const { run_id } = await first.run('go');
    const others = [
      await createInstance(script, { journal, chance: 0.1 }),
      await createInstance(script, { journal, chance: 0.9 }),
    ];
    // All have looked before any has made one.
    const records = journal.records.bind(journal);
    const looked = Promise.withResolvers<void>();
    let looking = 0;
    journal.records = async (filter) => {
      const found = await records(filter);
      if (filter?.resumed_from !== undefined && looking < 3) {
        if (++looking === 3) looked.resolve();
        await looked.promise;
      }
      return found;
    };
    const instances = [first, ...others];
    const resumed = instances.map(({ runtime }) => runtime.resume({ runId: run_id }));
    const one = await Promise.any(resumed.map(async (each) => ((await each).ok ? each : Promise.reject(new Error()))));
    expect(await (one.ok ? one.value.result : null)).toMatchObject({ state: 'completed', answer: 'once more' });
    await Promise.all(instances.map(({ clock }) => clock.advance(LEASE_MS)));
    const ids = (await Promise.all(resumed)).map((each) => (each.ok ? each.value.run_id : each.error.code));
    const successors = await records({ resumed_from: run_id });
    expect(successors).toHaveLength(1);
    expect(new Set(ids)).toEqual(new Set([successors[0]?.run_id]));
  });
});
