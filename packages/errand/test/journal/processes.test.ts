import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/run/apply.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { saidBy, startChild } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

/** Fails unless every run's events add up to its row. */
async function expectWhole(journal: Journal): Promise<void> {
  for (const record of await journal.records()) {
    const events = await journal.read(record.run_id);
    expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
    expect(recordOf(fold(events))).toEqual(record);
  }
}

const cancel = (run_id: string) => ({ kind: 'cancel', run_id, reason: 'user' }) as const;

describe('a process that is killed', () => {
  it.each([1, 2, 3, 10, 57, 200])(
    '[DUR-1] leaves all it had been told of, and nothing half, after %i appends',
    async (count) => {
      const folder = temporaryFolder();
      const child = startChild('append', folder, 'run', '100000');
      let acknowledged = 0;
      for await (const line of child.lines) {
        acknowledged = Number(line);
        if (acknowledged === count) child.process.kill('SIGKILL');
      }
      expect(await child.ended).toBe('SIGKILL');
      expect(acknowledged).toBeGreaterThanOrEqual(count);
      const journal = openStore({ folder });
      await expectWhole(journal);
      const [parent, own] = [await journal.read('run_parent'), await journal.read('run_child')];
      // Both runs get the same number of events in every append: together or not at all.
      expect(own.length).toBe(parent.length);
      // Two appends of one event; then three per step with one, one and two.
      const step = Math.floor((acknowledged - 2) / 3);
      const least = acknowledged <= 2 ? acknowledged : 2 + 4 * step + ((acknowledged - 2) % 3);
      expect(parent.length).toBeGreaterThanOrEqual(least);
      await journal.close();
    },
  );

  it('[DUR-3] leaves its start, for others to see that it is gone, and its commands until it is closed', async () => {
    const folder = temporaryFolder();
    const child = startChild('listen', folder, 'boot_dead');
    await child.lines.next();
    child.process.kill('SIGKILL');
    await child.ended;
    const journal = openStore({ folder });
    expect(await journal.boots()).toMatchObject([{ boot_id: 'boot_dead', pid: child.process.pid }]);
    await journal.sendCommand('boot_dead', cancel('run_a'));
    await journal.closeBoot('boot_dead');
    expect(await journal.boots()).toEqual([]);
    await journal.close();
  });
});

describe('several processes on one store', () => {
  it('[DUR-6] record side by side, all opening a new store at once', async () => {
    const folder = join(temporaryFolder(), 'new');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => saidBy(startChild('append', folder, name, '20'))));
    const journal = openStore({ folder });
    await expectWhole(journal);
    const records = await journal.records();
    expect(records).toHaveLength(2 * names.length);
    expect(records.every((record) => record.state === 'completed')).toBe(true);
    await journal.close();
    // Whoever leaves last takes the log along.
    expect(readdirSync(folder).sort()).toEqual(['errand.db']);
  });

  it('[DUR-6] a command wakes the process it is for, and is taken once', async () => {
    const folder = temporaryFolder();
    const child = startChild('listen', folder, 'boot_child');
    expect((await child.lines.next()).value).toBe('ready');
    const journal = openStore({ folder });
    expect(readdirSync(join(folder, 'wake'))).toEqual(['boot_child']);
    for (const run of ['run_a', 'run_b']) {
      await journal.sendCommand('boot_child', cancel(run));
      expect((await child.lines.next()).value).toBe(`cancel ${run}`);
    }
    await journal.sendCommand('boot_child', cancel('run_c'));
    await journal.sendCommand('boot_child', cancel('run_last'));
    expect(await saidBy(child)).toEqual(['cancel run_c', 'cancel run_last']);
    expect(existsSync(join(folder, 'wake', 'boot_child'))).toBe(false);
    await expect(journal.sendCommand('boot_child', cancel('run_a'))).rejects.toMatchObject({ code: 'conflict' });
    await journal.close();
  });

  it.each(['write', 'read'] as const)(
    '[DUR-6] who observes hears of what another process has recorded (%s)',
    async (mode) => {
      const folder = temporaryFolder();
      await openStore({ folder }).close();
      const journal = openStore({ folder, mode });
      let seen = 0;
      const settled = new Promise<void>((resolve) => {
        journal.observe((events) => {
          expect(events).toEqual([]);
          seen++;
          void journal.records({ live: true }).then((records) => {
            if (records.length === 0) resolve();
          });
        });
      });
      await saidBy(startChild('append', folder, 'run', '3'));
      await settled;
      expect(seen).toBeGreaterThanOrEqual(1);
      expect((await journal.record('run_parent'))?.state).toBe('completed');
      await journal.close();
    },
  );
});
