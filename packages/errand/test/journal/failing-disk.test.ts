import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/domain/run/event.ts';
import type { JournalEntry } from '../../src/ports/journal.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { FAULTS, FailingDisk, type FaultName } from './failing-disk.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const CODES: Readonly<Record<FaultName, string>> = {
  write: 'io',
  read: 'io',
  full: 'full',
  readOnly: 'read_only',
  busy: 'busy',
  corrupt: 'corrupt',
};

const NAMES = Object.keys(FAULTS) as FaultName[];

function scriptOf(run: SampleRun): readonly JournalEntry[] {
  return [run.create(), run.start(), ...run.step(), ...run.step('x'.repeat(50_000)), run.settle()];
}

describe('a disk that fails', () => {
  it.each(NAMES)(
    '[DUR-7] while something is recorded (%s) is named; recording goes on when it works again',
    async (name) => {
      const disk = new FailingDisk();
      const folder = temporaryFolder();
      const journal = openStore({ folder, connect: disk.connect, timeout: 20 });
      const run = new SampleRun({ run_id: 'run_a' });
      await run.claim(journal);
      const [created, started, ...rest] = scriptOf(run);
      if (!created || !started) throw new Error('a script has entries');
      await journal.append([created]);
      for (const at of ['begin immediate', 'insert into events', 'update runs', 'commit']) {
        disk.failWhen((sql) => (sql.startsWith(at) ? name : null));
        const expected = { code: CODES[name], message: expect.stringContaining(folder) };
        await expect(journal.append([started])).rejects.toMatchObject(expected);
        disk.heal();
        expect(await journal.read(run.run_id)).toEqual(run.events.slice(0, 1));
      }
      await journal.append([started]);
      for (const entry of rest) await journal.append([entry]);
      await journal.close();
      const again = openStore({ folder, mode: 'read' });
      expect(await again.read(run.run_id)).toEqual(run.events);
      expect(await again.check()).toEqual([]);
      await again.close();
    },
  );

  it('[DUR-7] also when taking back fails: that is made up for before anything is read or written', async () => {
    const disk = new FailingDisk();
    const journal = openStore({ folder: temporaryFolder(), connect: disk.connect });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    const created = run.create();
    disk.failWhen((sql) => (/^(?:commit|rollback)/u.test(sql) ? 'write' : null));
    await expect(journal.append([created])).rejects.toMatchObject({ code: 'io' });
    await expect(journal.append([created])).rejects.toMatchObject({ code: 'io' });
    await expect(journal.record(run.run_id)).rejects.toMatchObject({ code: 'io' });
    disk.heal();
    expect(await journal.record(run.run_id)).toBeNull();
    expect(await journal.records()).toEqual([]);
    await journal.append([created]);
    expect(await journal.read(run.run_id)).toEqual(run.events);
    await journal.close();
  });

  it('[DUR-7] while something is read gives an error of the catalogue, and harms nothing', async () => {
    const disk = new FailingDisk();
    const journal = openStore({ folder: temporaryFolder(), connect: disk.connect });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    await journal.append([run.create()]);
    disk.failWhen((sql) => (sql.startsWith('select') ? 'read' : null));
    await expect(journal.read(run.run_id)).rejects.toMatchObject({ code: 'io' });
    await expect(journal.record(run.run_id)).rejects.toMatchObject({ code: 'io' });
    await expect(journal.records()).rejects.toMatchObject({ code: 'io' });
    await expect(journal.boots()).rejects.toMatchObject({ code: 'io' });
    disk.heal();
    await journal.append([run.start()]);
    expect(await journal.read(run.run_id)).toEqual(run.events);
    await journal.close();
  });

  it('[DUR-7] in the middle of a tick: what comes later is not recorded without what came before', async () => {
    const disk = new FailingDisk();
    const journal = openStore({ folder: temporaryFolder(), connect: disk.connect });
    const runs = Array.from({ length: 6 }, (_, index) => new SampleRun({ run_id: `run_${index}` }));
    await Promise.all(runs.map((run) => run.claim(journal)));
    // The first attempt takes all six in one transaction; then each has its own, and the fourth of these fails.
    let commits = 0;
    disk.failWhen((sql) => (sql === 'commit' && [1, 5].includes(++commits) ? 'full' : null));
    const outcomes = await Promise.allSettled(runs.map((run) => journal.append([run.create()])));
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected', 'rejected'],
    ]);
    expect(await journal.records()).toHaveLength(3);
    await journal.close();
  });
});

describe('any sequence of failures', () => {
  it('[DUR-7] loses nothing that was acknowledged, and keeps the order in which it was given', async () => {
    const faults = fc.array(fc.record({ at: fc.integer({ min: 0, max: 400 }), name: fc.constantFrom(...NAMES) }), {
      maxLength: 12,
    });
    await fc.assert(
      fc.asyncProperty(faults, fc.integer({ min: 1, max: 4 }), async (list, runCount) => {
        const disk = new FailingDisk();
        const folder = temporaryFolder();
        const journal = openStore({ folder, connect: disk.connect, timeout: 5 });
        const runs = Array.from({ length: runCount }, (_, index) => new SampleRun({ run_id: `run_${index}` }));
        await Promise.all(runs.map((run) => run.claim(journal)));
        const failing = new Map(list.map(({ at, name }) => [disk.statements.length + at, name]));
        disk.failWhen(() => failing.get(disk.statements.length - 1) ?? null);
        const acknowledged: RunEvent[][] = [];
        for (const run of runs) {
          const own: RunEvent[] = [];
          acknowledged.push(own);
          // Without waiting in between: what follows a refused append is a conflict until that was repeated.
          let left = scriptOf(run);
          for (let attempt = 0; left.length > 0 && attempt < 50; attempt++) {
            const outcomes = await Promise.allSettled(left.map((entry) => journal.append([entry])));
            const recorded = outcomes.findIndex((outcome) => outcome.status === 'rejected');
            const taken = recorded < 0 ? left.length : recorded;
            expect(outcomes.slice(taken).every((outcome) => outcome.status === 'rejected')).toBe(true);
            own.push(...left.slice(0, taken).flatMap((entry) => entry.events));
            left = left.slice(taken);
          }
          expect(left).toEqual([]);
        }
        disk.heal();
        await journal.close();
        const again = openStore({ folder, mode: 'read' });
        for (const [index, run] of runs.entries()) {
          expect(await again.read(run.run_id)).toEqual(acknowledged[index]);
          expect(run.events).toEqual(acknowledged[index]);
        }
        expect(await again.check()).toEqual([]);
        await again.close();
      }),
      { numRuns: 60 },
    );
  });
});
