import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Settings } from '../../src/app/config/settings.ts';
import { openService } from '../../src/app/service.ts';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { Story } from '../terminal/story.ts';
import { createPlaces } from './places.ts';

const DAY = 86_400_000;

/** A store with roots that ended so many days ago. */
async function storeOf(
  settings: Settings,
  days: readonly number[],
  interrupted: readonly number[] = [],
): Promise<void> {
  const journal = openSqliteJournal({ folder: dirname(settings.paths.store), clock: createSystemClock() });
  const now = Date.now();
  for (const day of [...days, ...interrupted]) {
    const run_id = `run_${day}`;
    const story = new Story();
    story.start(run_id);
    const ending = interrupted.includes(day) ? ({ state: 'interrupted', reason: 'restart' } as const) : {};
    story.settle(run_id, 'done', ending);
    const blobs = { system: journal.putBlob('the system text'), tools: journal.putBlob('[]') };
    const events = story.events.map((event) => ({
      ...event,
      ...(event.type === 'run.created' ? blobs : {}),
      at: now - day * DAY,
    })) as RunEvent[];
    await journal.claim({ root_id: run_id, boot_id: 'boot_1', mayTake: () => true });
    await journal.append([{ run_id, events, record: recordOf(fold(events)), epoch: 1 }]);
    await journal.release(run_id, 'boot_1');
  }
  await journal.close();
}

async function kept(settings: Settings): Promise<string[]> {
  const journal = openSqliteJournal({
    folder: dirname(settings.paths.store),
    clock: createSystemClock(),
    mode: 'read',
  });
  const records = await journal.records();
  await journal.close();
  return records.map(({ run_id }) => run_id);
}

describe('what is kept of runs that have ended', () => {
  test('[DUR-5] 7 days and 10,000 runs, unless the person says otherwise', () => {
    expect(createPlaces().settings().retention).toEqual({ days: 7, runs: 10_000 });
    const user = '[retention]\ndays = 30\nruns = 5';
    expect(createPlaces().settings({ user }).retention).toEqual({ days: 30, runs: 5 });
  });

  test('[DUR-5] opening the instance to run makes room in the background; what is interrupted stays', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 8, 6, 0], [20]);
    const service = await openService(settings, { mode: 'run' });
    await vi.waitFor(async () => expect(await kept(settings)).toEqual(['run_6', 'run_0', 'run_20']));
    await service.close();
  });

  test('[DUR-5] days and number are those of the configuration', async () => {
    for (const [user, left] of [
      ['days = 100\nruns = 2', ['run_6', 'run_0']],
      ['days = 1', ['run_0']],
    ] as const) {
      const settings = createPlaces().settings({ user: `[retention]\n${user}` });
      await storeOf(settings, [9, 8, 6, 0]);
      const service = await openService(settings, { mode: 'run' });
      await vi.waitFor(async () => expect(await kept(settings)).toEqual(left));
      await service.close();
    }
  });

  test('[DUR-5] opening it to read deletes nothing', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 0]);
    const service = await openService(settings, { mode: 'read' });
    await service.close();
    expect(await kept(settings)).toEqual(['run_9', 'run_0']);
  });

  test('[DUR-5] nothing waits for it: an instance that is closed at once closes', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 8]);
    const service = await openService(settings, { mode: 'run' });
    await service.close();
    expect(await service.store.check().catch((error: Error) => error.message)).toContain('closed');
  });
});

describe('the care of the store', () => {
  test('[DUR-7] a check tells of the file, and a copy is one that can be opened', async () => {
    const settings = createPlaces().settings();
    const before = await openService(settings, { mode: 'read' });
    expect(await before.store.check()).toMatchObject({ problems: [], file: null });
    await before.close();
    await storeOf(settings, [1]);
    const service = await openService(settings, { mode: 'read' });
    const report = await service.store.check();
    expect(report).toMatchObject({ problems: [], sqlite: process.versions.sqlite });
    expect(report.file?.bytes).toBeGreaterThan(0);
    const copy = join(dirname(settings.paths.store), 'copy', 'errand.db');
    await expect(service.store.backup(copy)).rejects.toThrow();
    const file = join(dirname(settings.paths.store), 'copy.db');
    await service.store.backup(file);
    await expect(service.store.backup(file)).rejects.toMatchObject({ code: 'conflict' });
    await service.close();
  });
});
