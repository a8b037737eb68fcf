import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fold } from '../../src/domain/run/apply.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import { BEAT_MS, LEASE_MS } from '../../src/engine/lease-time.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createProcesses } from '../../src/host/create-processes.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { answer, status } from '../../src/testing/index.ts';
import { eventsOf } from '../domain/runs.ts';
import { createInstance, delegating, type Instance, REPORT } from './instance.ts';

/** The same journal, as one that does some things otherwise sees it. */
function seenAs(journal: Journal, otherwise: Partial<Journal>): Journal {
  return new Proxy(journal, {
    get(target, key) {
      const value = Reflect.get(otherwise, key) ?? Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

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
    // Nobody holds on to what has ended.
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    const claim = { root_id: successors[0]?.run_id ?? '', boot_id: 'boot_other', mayTake: () => false };
    expect(await journal.claim(claim)).toMatchObject({ ok: true });
  });

  it('[DUR-4] [DUR-6] one that stood still while it made the new run is overtaken, and gives the one that was made', async () => {
    const script = () => answer({ text: 'once more' });
    const journal = createMemoryJournal();
    const stands = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const slow = seenAs(journal, {
      async append(entries) {
        if (entries[0]?.record.resumed_from) {
          stands.resolve();
          await goesOn.promise;
        }
        return journal.append(entries);
      },
    });
    const first = await createInstance(script, { journal: slow });
    const { run_id } = await first.run('go');
    const second = await createInstance(script, { journal, chance: 0.9 });
    const late = first.runtime.resume({ runId: run_id });
    await stands.promise;
    const resumed = second.runtime.resume({ runId: run_id });
    while (second.clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    await second.clock.advance(LEASE_MS);
    const made = await resumed;
    const result = await (made.ok ? made.value.result : expect.fail(made.error.message));
    expect(result).toMatchObject({ state: 'completed', answer: 'once more' });
    goesOn.resolve();
    const found = await late;
    expect(await (found.ok ? found.value.result : expect.fail(found.error.message))).toEqual(result);
    expect(await journal.records()).toHaveLength(2);
    expect(first.server.requests).toHaveLength(1);
  });

  it('[RUN-2] [DUR-6] one that was taken over while its first call hung does not take back what was made of its run', async () => {
    const journal = createMemoryJournal();
    const first = await createInstance(
      () => first.server.hold('call', status(401, { error: { message: 'no such key' } })),
      { journal },
    );
    const handle = await first.start('go');
    await first.server.whenHeld('call');
    const second = await createInstance(() => answer({ text: 'with a good key' }), { journal, chance: 0.9 });
    const resuming = second.runtime.resume({ runId: handle.run_id });
    await second.clock.whenPending(1);
    await second.clock.advance(LEASE_MS);
    const resumed = await resuming;
    const result = await (resumed.ok ? resumed.value.result : expect.fail(resumed.error.message));
    expect(result).toMatchObject({ state: 'completed', answer: 'with a good key' });
    first.server.release('call');
    await expect(handle.result).rejects.toMatchObject({ code: 'fenced' });
    expect(await journal.records()).toMatchObject([{ run_id: handle.run_id, state: 'completed' }]);
  });

  it('[RUN-2] [DUR-6] one that was taken for dead loses what it had, and can begin anew', async () => {
    const instance = await createInstance(({ text }) =>
      text.includes('lost') ? instance.server.hold('gate', answer({ text: 'x' })) : answer({ text: 'new' }),
    );
    const lost = await instance.start('lost');
    await instance.server.whenHeld('gate');
    for (const { boot_id } of await instance.journal.boots()) await instance.journal.closeBoot(boot_id);
    instance.server.release('gate');
    await expect(lost.result).rejects.toMatchObject({ code: 'fenced' });
    expect(await instance.run('go')).toMatchObject({ state: 'completed', answer: 'new' });
    expect(await instance.journal.boots()).toHaveLength(1);
  });

  it('[DUR-3] [DUR-6] of several who wait for a run that is over, none is told that it is at work', async () => {
    const journal = createMemoryJournal();
    const first = await createInstance(() => first.server.hold('gate', answer({ text: 'done' })), { journal });
    const others = await Promise.all(
      [0.1, 0.3, 0.7, 0.9].map((chance) => createInstance(() => answer({ text: 'again' }), { journal, chance })),
    );
    const handle = await first.start('go');
    await first.server.whenHeld('gate');
    const resuming = others.map(({ runtime }) => runtime.resume({ runId: handle.run_id }));
    await Promise.all(others.map(({ clock }) => clock.whenPending(1)));
    first.server.release('gate');
    const result = await handle.result;
    for (const resumed of await Promise.all(resuming))
      expect(await (resumed.ok ? resumed.value.result : expect.fail(resumed.error.message))).toEqual(result);
  });

  it('[LIM-2] [DUR-6] [PAIN-17] whoever waits for a slot gets it soon after the process that held it has died without a word', async () => {
    const journal = createMemoryJournal();
    const { self } = createProcesses();
    await journal.openBoot({ boot_id: 'boot_holder', started_at: 1, ...self() });
    await journal.takeSlots('boot_holder', 1, 1);
    let dead = false;
    const { clock, start, server } = await createInstance(() => answer({ text: 'mine' }), {
      journal,
      limits: { max_concurrent: 1, launch_concurrency: 1 },
      processes: { self, ownerState: ({ boot_id }) => (dead && boot_id === 'boot_holder' ? 'dead' : 'alive') },
    });
    const handle = await start('go');
    for (let beats = 0; beats < 3; beats++) await clock.advance(BEAT_MS);
    expect(server.requests).toEqual([]);
    dead = true;
    await clock.advance(BEAT_MS);
    expect(await handle.result).toMatchObject({ state: 'completed', answer: 'mine' });
  });

  it('[LIM-2] [DUR-6] nor does one wait for ever for a holder of whom nothing can be proven and who falls silent', async () => {
    const journal = createMemoryJournal();
    const elsewhere = { boot_id: 'boot_elsewhere', started_at: 1, pid: 1, process_start: null, host: 'elsewhere' };
    const idle = { ...elsewhere, boot_id: 'boot_idle' };
    const { clock, start, server } = await createInstance(() => answer({ text: 'mine' }), {
      journal,
      limits: { max_concurrent: 1, launch_concurrency: 1 },
    });
    for (const boot of [elsewhere, idle]) await journal.openBoot(boot);
    const claimed = await journal.claim({ root_id: 'run_theirs', boot_id: 'boot_elsewhere', mayTake: () => false });
    const events = eventsOf([{ type: 'run.started' }], { root_id: 'run_theirs', boot_id: 'boot_elsewhere' });
    const theirs = events.map((event) => ({ ...event, run_id: 'run_theirs' }));
    const record = recordOf(fold(theirs));
    await journal.append([{ run_id: 'run_theirs', events: theirs, record, epoch: claimed.ok ? claimed.epoch : 0 }]);
    await journal.takeSlots('boot_elsewhere', 1, 1);
    const handle = await start('go');
    for (let beats = 0; beats < 8; beats++) {
      await clock.advance(BEAT_MS);
      await journal.beat('boot_elsewhere');
    }
    expect(server.requests).toEqual([]);
    for (let beats = 0; beats < 5; beats++) await clock.advance(BEAT_MS);
    expect(await handle.result).toMatchObject({ state: 'completed', answer: 'mine' });
    // One that has nothing to do is silent, and well.
    const left = (await journal.boots()).map(({ boot_id }) => boot_id);
    expect(left).toContain('boot_idle');
    expect(left).not.toContain('boot_elsewhere');
  });

  it('[DUR-3] [DUR-6] who waits for a run of another process has it as soon as that lets go, and does not wait when it is closed', async () => {
    const journal = createMemoryJournal();
    const first = await createInstance(() => first.server.hold('gate', answer({ text: 'by the first' })), { journal });
    const [second, third] = [
      await createInstance(() => answer({ text: 'again' }), { journal, chance: 0.1 }),
      await createInstance(() => answer({ text: 'again' }), {
        journal: seenAs(journal, { close: async () => {} }),
        chance: 0.9,
      }),
    ];
    const handle = await first.start('go');
    await first.server.whenHeld('gate');
    const resumed = second.runtime.resume({ runId: handle.run_id });
    const closed = third.runtime.resume({ runId: handle.run_id });
    await Promise.all([second.clock.whenPending(1), third.clock.whenPending(1)]);
    await third.runtime.close();
    expect(third.clock.pending).toBe(0);
    expect(await closed).toMatchObject({ ok: false, error: { code: 'running' } });
    first.server.release('gate');
    const result = await handle.result;
    const found = await resumed;
    expect(await (found.ok ? found.value.result : expect.fail(found.error.message))).toEqual(result);
    expect(second.clock.pending).toBe(0);
  });
});
