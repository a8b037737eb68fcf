import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSystemClock } from '../../src/host/clock.ts';
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
});
