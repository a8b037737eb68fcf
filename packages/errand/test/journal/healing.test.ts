import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { endedTree, KEEP_ALL, KEEP_NONE, withSpec } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { FailingDisk } from './failing-disk.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const SWEEP = { ...KEEP_ALL, hiddenAge: 1_000 };
const DAMAGED_ROW = "update runs set record = '{' where run_id = 'run_a_0'";
const DAMAGED_EVENT = "update events set data = '{' where run_id = 'run_a_0' and seq = 3";
/** What is left of `run_a_0` where neither can be read. */
const COLUMNS = { run_id: 'run_a_0', parent_id: 'run_a', call_id: 'call_agent', resumed_from: null };

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'errand.db'));
  database.exec(sql);
  database.close();
}

/** A tree of `run_a` and its helper `run_a_0`, and a later one of `run_late` alone. */
async function filled(disk = new FailingDisk()): Promise<{ folder: string; journal: Journal }> {
  const folder = temporaryFolder();
  const journal = openStore({ folder, connect: disk.connect });
  await endedTree(journal, 'run_a', { children: 1, output: 'x'.repeat(40_000) });
  await endedTree(journal, 'run_late', { at: 9_000 });
  return { folder, journal };
}

describe('a row that is damaged', () => {
  it.each([
    ['is no JSON', "'nonsense'"],
    ['was cut', 'substr(record, 1, length(record) / 2)'],
    ['is no object', "'[]'"],
    ['is that of another run', "(select record from runs where run_id = 'run_late')"],
    ['has lost its fields', "'{}'"],
    ['has lost all fields but its name', "json_object('run_id', run_id)"],
    ['has lost its usage', "json_remove(record, '$.usage.output')"],
    ['has a number for a title', "json_set(record, '$.title', 5)"],
  ])(
    '[DUR-7] because it %s is made again from the events, alone and in lists; a check names it',
    async (_what, sql) => {
      const { folder, journal } = await filled();
      const records = await journal.records();
      change(folder, `update runs set record = ${sql} where run_id = 'run_a_0'`);
      expect(await journal.record('run_a_0')).toEqual(records[1]);
      expect(await journal.records()).toEqual(records);
      expect(await journal.records({ root_id: 'run_a' })).toEqual(records.slice(0, 2));
      expect(await journal.check()).toEqual([expect.stringContaining('row of run_a_0')]);
      await journal.close();
    },
  );

  it('[DUR-7] of a run that goes on is written again with what comes next', async () => {
    const { folder, journal } = await filled();
    const run = new SampleRun({ run_id: 'run_b' });
    await run.claim(journal);
    await journal.append([run.create(), run.start()]);
    change(folder, "update runs set record = '{' where run_id = 'run_b'");
    expect(await journal.records({ live: true })).toMatchObject([{ run_id: 'run_b', state: 'running' }]);
    for (const entry of run.step()) await journal.append([entry]);
    expect(await journal.record('run_b')).toMatchObject({ steps: 1 });
    expect(await journal.check()).toEqual([]);
    await journal.close();
  });

  it('[DUR-7] with events that are damaged too is corrupt when asked for, and left out of lists', async () => {
    const { folder, journal } = await filled();
    change(folder, `${DAMAGED_ROW}; ${DAMAGED_EVENT}`);
    const damage = { code: 'corrupt', message: expect.stringContaining('run_a_0') };
    await expect(journal.record('run_a_0')).rejects.toMatchObject(damage);
    expect((await journal.records()).map((record) => record.run_id)).toEqual(['run_a', 'run_late']);
    await journal.close();
  });

  it('[DUR-5] [DUR-7] of a swept run is corrupt: there is nothing to make it from', async () => {
    const { folder, journal } = await filled();
    expect((await journal.retain(SWEEP)).conversations).toBe(1);
    change(folder, DAMAGED_ROW);
    await expect(journal.record('run_a_0')).rejects.toMatchObject({ code: 'corrupt' });
    await expect(journal.read('run_a_0')).rejects.toMatchObject({ code: 'swept' });
    expect((await journal.records()).map((record) => record.run_id)).toEqual(['run_a', 'run_late']);
    expect(await journal.check()).toEqual([expect.stringContaining('row of run_a_0 is no JSON')]);
    expect(await journal.retain(KEEP_NONE)).toEqual({ runs: 3, conversations: 0 });
    await journal.close();
  });

  it('[DUR-5] [DUR-7] is put right before its events are swept', async () => {
    const { folder, journal } = await filled();
    const record = await journal.record('run_a_0');
    change(folder, DAMAGED_ROW);
    expect((await journal.retain(SWEEP)).conversations).toBe(1);
    expect(await journal.record('run_a_0')).toEqual(record);
    expect(await journal.check()).toEqual([]);
    await journal.close();
  });

  it('[DUR-5] [DUR-7] keeps no conversation, where the events are damaged too', async () => {
    const { folder, journal } = await filled();
    change(folder, `${DAMAGED_ROW}; ${DAMAGED_EVENT}`);
    expect((await journal.retain(SWEEP)).conversations).toBe(1);
    await expect(journal.record('run_a_0')).rejects.toMatchObject({ code: 'corrupt' });
    await journal.close();
  });

  it('[DUR-5] [DUR-7] is counted by what its events say, before it is deleted and after', async () => {
    const { folder, journal } = await filled();
    const before = await journal.usage();
    change(folder, DAMAGED_ROW);
    expect(await journal.usage()).toEqual(before);
    expect((await journal.retain(KEEP_NONE)).runs).toBe(3);
    expect(await journal.usage()).toEqual(before.map((sum) => ({ ...sum, deleted: 3 })));
    await journal.close();
  });

  it('[DUR-5] [DUR-7] with events that are damaged too is counted neither before it is deleted nor after', async () => {
    const { folder, journal } = await filled();
    change(folder, `${DAMAGED_ROW}; ${DAMAGED_EVENT}`);
    const before = await journal.usage();
    expect(before).toMatchObject([{ runs: 2, usage: { input: 200 } }]);
    expect((await journal.retain(KEEP_NONE)).runs).toBe(3);
    expect(await journal.usage()).toEqual(before.map((sum) => ({ ...sum, deleted: 2 })));
    await journal.close();
  });

  it('[DUR-7] is no damage where the disk fails: that is said, and nothing left out', async () => {
    const disk = new FailingDisk();
    const { folder, journal } = await filled(disk);
    change(folder, DAMAGED_ROW);
    disk.failWhen((sql) => (sql.startsWith('select seq, at') ? 'read' : null));
    for (const asked of [
      journal.record('run_a_0'),
      journal.records(),
      journal.unreadable('run_a'),
      journal.usage(),
      journal.retain(SWEEP),
    ]) {
      await expect(asked).rejects.toMatchObject({ code: 'io' });
    }
    disk.heal();
    expect(await journal.unreadable('run_a')).toEqual([]);
    expect(await journal.records()).toHaveLength(3);
    expect(await journal.read('run_a_0')).toHaveLength(7);
    await journal.close();
  });
});

describe('a run of which neither row nor events can be read', () => {
  const BOTH: readonly (readonly [what: string, sql: string])[] = [
    ['no JSON, and an event that is none', `${DAMAGED_ROW}; ${DAMAGED_EVENT}`],
    ['no object', `update runs set record = '[]' where run_id = 'run_a_0'; ${DAMAGED_EVENT}`],
    [
      'a row that is about another run',
      `update runs set record = (select record from runs where run_id = 'run_late') where run_id = 'run_a_0'; ${DAMAGED_EVENT}`,
    ],
    ['an event that is gone', `${DAMAGED_ROW}; delete from events where run_id = 'run_a_0' and seq = 1`],
    ['no event left', `${DAMAGED_ROW}; delete from events where run_id = 'run_a_0'`],
    [
      'an event of another kind',
      `${DAMAGED_ROW}; update events set type = 'run.started' where run_id = 'run_a_0' and seq = 1`,
    ],
    ['a long text that is gone', `${DAMAGED_ROW}; delete from blobs where pinned = 0`],
  ];

  it.each(BOTH)('[DUR-7] is named with its tree, with what its columns tell: %s', async (_what, sql) => {
    const { folder, journal } = await filled();
    change(folder, sql);
    expect(await journal.unreadable('run_a')).toEqual([COLUMNS]);
    for (const rootId of ['run_a_0', 'run_late', 'run_none']) expect(await journal.unreadable(rootId)).toEqual([]);
    expect((await journal.records({ root_id: 'run_a' })).map((record) => record.run_id)).toEqual(['run_a']);
    const reading = openStore({ folder, mode: 'read' });
    expect(await reading.unreadable('run_a')).toEqual([COLUMNS]);
    await Promise.all([journal.close(), reading.close()]);
  });

  it.each([
    ['its row', DAMAGED_ROW],
    ['its events', DAMAGED_EVENT],
  ])('[DUR-7] is not one of which only %s is damaged', async (_what, sql) => {
    const { folder, journal } = await filled();
    change(folder, sql);
    expect(await journal.unreadable('run_a')).toEqual([]);
    expect(await journal.records({ root_id: 'run_a' })).toHaveLength(2);
    await journal.close();
  });

  it('[DUR-5] [DUR-7] is a swept one of which the row alone is damaged', async () => {
    const { folder, journal } = await filled();
    expect((await journal.retain(SWEEP)).conversations).toBe(1);
    expect(await journal.unreadable('run_a')).toEqual([]);
    change(folder, DAMAGED_ROW);
    expect(await journal.unreadable('run_a')).toEqual([COLUMNS]);
    await journal.close();
  });

  it('[DUR-4] [DUR-7] is named in order of creation, with the run that it began from, whatever was recorded since', async () => {
    const { folder, journal } = await filled();
    const parent = new SampleRun({ run_id: 'run_z' });
    const helpers = ['run_y', 'run_x'].map((run_id) => new SampleRun({ run_id, parent }));
    await parent.claim(journal);
    const origin = { resumed_from: 'run_a' };
    await journal.append([withSpec(parent.create(), origin), ...helpers.map((run) => run.create())]);
    for (const entry of [parent.start(), ...parent.step()]) await journal.append([withSpec(entry, origin)]);
    for (const run of helpers) await journal.append([run.start(), run.settle()]);
    change(folder, "update runs set record = '' where root_id = 'run_z'; update events set data = '' where seq = 1");
    const of = { parent_id: 'run_z', call_id: 'call_agent', resumed_from: null };
    expect(await journal.unreadable('run_z')).toEqual([
      { run_id: 'run_z', parent_id: null, call_id: null, resumed_from: 'run_a' },
      { ...of, run_id: 'run_y' },
      { ...of, run_id: 'run_x' },
    ]);
    await journal.close();
  });

  it('[DUR-7] is none where there is no store', async () => {
    const journal = openStore({ folder: join(temporaryFolder(), 'none'), mode: 'read' });
    expect(await journal.unreadable('run_a')).toEqual([]);
    await journal.close();
  });
});
