import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Settings } from '../../src/app/config/settings.ts';
import { openService, type Service } from '../../src/app/service.ts';
import { CodedError } from '../../src/base/errors.ts';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { Story } from '../terminal/story.ts';
import { createPlaces } from './places.ts';

const DAY = 86_400_000;
/** How long is waited for what happens beside, in milliseconds. */
const PATIENCE = { timeout: 30_000 };

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

/** Adds a tree to the store: a root with a helper, both of which ended so many days ago. */
async function addTree(settings: Settings, day: number): Promise<void> {
  const journal = openSqliteJournal({ folder: dirname(settings.paths.store), clock: createSystemClock() });
  const root = `run_${day}`;
  const helper = `run_${day}_helper`;
  const story = new Story();
  story.start(root);
  story.answer(root, '', { calls: ['agent'], usage: { input: 100, output: 10 } });
  story.start(helper, { parent: root });
  story.answer(helper, 'found', { usage: { input: 1_000, output: 5, unknown_calls: 1 } });
  story.settle(helper, 'found');
  story.settle(root, 'done');
  const blobs = { system: journal.putBlob('the system text'), tools: journal.putBlob('[]') };
  const at = Date.now() - day * DAY;
  const told = story.events.map((event) => ({ ...event, ...(event.type === 'run.created' ? blobs : {}), at }));
  await journal.claim({ root_id: root, boot_id: 'boot_1', mayTake: () => true });
  await journal.append(
    [root, helper].map((run_id) => {
      const events = told.filter((event) => event.run_id === run_id) as RunEvent[];
      return { run_id, events, record: recordOf(fold(events)), epoch: 1 };
    }),
  );
  await journal.release(root, 'boot_1');
  await journal.close();
}

/** What reading a run comes to. */
async function conversationOf(settings: Settings, runId: string): Promise<'kept' | 'swept' | 'not there'> {
  const service = await openService(settings, { mode: 'read' });
  try {
    return (await service.runtime.result(runId)) === null ? 'not there' : 'kept';
  } catch (error) {
    if (error instanceof CodedError && error.code === 'swept') return 'swept';
    throw error;
  } finally {
    await service.close();
  }
}

/** Opens the instance and sets a run going; `end` stops it and closes the instance. */
async function openAndRun(settings: Settings): Promise<Service & { readonly end: () => Promise<void> }> {
  const service = await openService(settings, { mode: 'run' });
  const { cwd } = settings;
  const started = await service.runtime.start({ task: 'Where is the gate?', model: 'offline/extract', cwd });
  const handle = started.ok ? started.value : expect.fail(started.error.message);
  const end = async () => {
    handle.cancel('user');
    await handle.result;
    await service.close();
  };
  return { ...service, end };
}

/** The runs on record that were there before one was set going. */
async function kept(settings: Settings): Promise<string[]> {
  const journal = openSqliteJournal({
    folder: dirname(settings.paths.store),
    clock: createSystemClock(),
    mode: 'read',
  });
  const records = await journal.records();
  await journal.close();
  return records.map(({ run_id }) => run_id).filter((runId) => /^run_\d+(?:_helper)?$/u.test(runId));
}

describe('what is kept of runs that have ended', () => {
  test('[DUR-5] 7 days and 10,000 runs, conversations of helpers 1 day, unless the person says otherwise', () => {
    expect(createPlaces().settings().retention).toEqual({ days: 7, hidden_days: 1, runs: 10_000 });
    const user = '[retention]\ndays = 30\nhidden_days = 3\nruns = 5';
    expect(createPlaces().settings({ user }).retention).toEqual({ days: 30, hidden_days: 3, runs: 5 });
  });

  test.each([
    ['hidden_days = 8', 2, 'retention.hidden_days (8)', 'retention.days (7)'],
    ['days = 2\nhidden_days = 3', 3, 'retention.hidden_days (3)', 'retention.days (2)'],
  ])('[DUR-5] conversations that are to outlive their runs are refused with both names: %j', (text, line, ...names) => {
    const places = createPlaces();
    const problem = places.problem({ user: `[retention]\n${text}` });
    expect(problem).toMatchObject({ exit: 4, file: places.userFile, line });
    for (const name of names) expect(problem.message).toContain(name);
  });

  test('[DUR-5] as long as their runs is the most; days alone are never at odds with it', () => {
    for (const text of [
      'hidden_days = 7',
      'days = 1',
      'days = 1\nhidden_days = 1',
      'days = 36500\nhidden_days = 36500',
    ])
      expect(createPlaces().load({ user: `[retention]\n${text}` }).ok).toBe(true);
    for (const value of ['0', '36501', '1.5', '"1d"']) {
      const { message } = createPlaces().problem({ user: `[retention]\nhidden_days = ${value}` });
      expect(message).toContain('retention.hidden_days takes a whole number from 1 to 36500');
    }
  });

  test('[DUR-5] setting the first run going makes room in the background; what is interrupted stays', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 8, 6, 0], [20]);
    const service = await openAndRun(settings);
    await vi.waitFor(async () => expect(await kept(settings)).toEqual(['run_6', 'run_0', 'run_20']), PATIENCE);
    await service.end();
  });

  test('[DUR-4] [DUR-5] opening it alone deletes nothing, nor does a refusal: a run that is due can still be asked for', async () => {
    const settings = createPlaces().settings();
    const before = ['run_9', 'run_0'];
    await storeOf(settings, [9, 0]);
    const service = await openService(settings, { mode: 'run' });
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(await kept(settings)).toEqual(before);
    expect(await service.runtime.resume({ runId: 'run_none' })).toMatchObject({ error: { code: 'not_found' } });
    // The connection of its model is not there: it can be asked for again once it is.
    expect(await service.runtime.resume({ runId: 'run_9' })).toMatchObject({ error: { code: 'no_model' } });
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(await kept(settings)).toEqual(before);
    await service.close();
  });

  test('[DUR-5] days and number are those of the configuration', async () => {
    for (const [user, left] of [
      ['days = 100\nruns = 2', ['run_6', 'run_0']],
      ['days = 1', ['run_0']],
    ] as const) {
      const settings = createPlaces().settings({ user: `[retention]\n${user}` });
      await storeOf(settings, [9, 8, 6, 0]);
      const service = await openAndRun(settings);
      await vi.waitFor(async () => expect(await kept(settings)).toEqual(left), PATIENCE);
      await service.end();
    }
  });

  test('[DUR-5] [RES-7] the conversation of a helper goes after its day, its record and its root stay; what was used is counted', async () => {
    const settings = createPlaces().settings();
    for (const day of [9, 3, 0]) await addTree(settings, day);
    const service = await openAndRun(settings);
    const usageOf = async () => (await service.runtime.usage()).filter(({ model }) => model === 'mock/m');
    const before = await usageOf();
    await vi.waitFor(async () => expect(await kept(settings)).not.toContain('run_9'), PATIENCE);
    await vi.waitFor(async () => expect(await conversationOf(settings, 'run_3_helper')).toBe('swept'), PATIENCE);
    for (const runId of ['run_3', 'run_0', 'run_0_helper']) expect(await conversationOf(settings, runId)).toBe('kept');
    expect(await conversationOf(settings, 'run_9_helper')).toBe('not there');
    expect(await kept(settings)).toEqual(['run_3', 'run_3_helper', 'run_0', 'run_0_helper']);
    const usage = { input: 3_300, cached: 0, output: 45, reasoning: 0, unknown_calls: 3 };
    expect(before).toMatchObject([{ model: 'mock/m', runs: 6, usage }]);
    expect(await usageOf()).toEqual([{ model: 'mock/m', runs: 6, deleted: 2, usage }]);
    await service.end();
  });

  test('[DUR-5] how long the conversation of a helper stays is that of the configuration', async () => {
    const settings = createPlaces().settings({ user: '[retention]\nhidden_days = 4' });
    // Ages are counted from the latest ending of a tree at rest.
    for (const day of [5, 3, 0]) await addTree(settings, day);
    const service = await openAndRun(settings);
    await vi.waitFor(async () => expect(await conversationOf(settings, 'run_5_helper')).toBe('swept'), PATIENCE);
    expect(await conversationOf(settings, 'run_3_helper')).toBe('kept');
    await service.end();
  });

  test('[DUR-5] opening it to read deletes nothing', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 0]);
    const service = await openService(settings, { mode: 'read' });
    await service.close();
    expect(await kept(settings)).toEqual(['run_9', 'run_0']);
  });

  test('[DUR-5] nothing waits for it: an instance that is closed while it is under way closes', async () => {
    const settings = createPlaces().settings();
    await storeOf(settings, [9, 8]);
    const service = await openAndRun(settings);
    await service.end();
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
