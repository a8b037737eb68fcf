import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/host/clock.ts';
import { encodeEntries } from '../../src/stores/shared/encode.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { MIGRATION_0001 } from '../../src/stores/sqlite/migrations/0001-journal.ts';
import { KEEP_ALL, KEEP_NONE, withSpec } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { FailingDisk } from './failing-disk.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

/** Writes a run as version 1 did, which had no columns `resumed_from`, `call_id` and `swept`. */
function writeRun(database: DatabaseSync, run: SampleRun, origin?: string): void {
  const made = [run.create(), run.start(), ...run.step(), run.settle()];
  const entries = origin === undefined ? made : made.map((entry) => withSpec(entry, { resumed_from: origin }));
  const event = database.prepare('insert into events (run_id, seq, at, type, data) values (?, ?, ?, ?, ?)');
  const encoded = encodeEntries(entries);
  for (const { seq, at, type, data } of encoded.flatMap(({ rows }) => rows)) {
    event.run(run.run_id, seq, at, type, data);
  }
  const last = encoded.at(-1)?.record;
  if (!last) throw new Error('a run has entries');
  const { parent_id, root_id, session_id, state, live, created_at, started_at, ended_at, json } = last;
  database
    .prepare(
      `insert into runs (run_id, parent_id, root_id, session_id, state, live, created_at, started_at, ended_at, seq, record)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[run.run_id, parent_id, root_id, session_id, state, live, created_at, started_at, ended_at],
      run.events.length,
      json,
    );
}

/** A store of version 1: two trees, one with a helper, one that began with the transcript of the other; and a damaged row. */
function oldStore(): string {
  const folder = temporaryFolder();
  const database = new DatabaseSync(join(folder, 'errand.db'));
  database.exec(MIGRATION_0001);
  const origin = new SampleRun({ run_id: 'run_a' });
  writeRun(database, origin);
  writeRun(database, new SampleRun({ run_id: 'run_helper', parent: origin }));
  writeRun(database, new SampleRun({ run_id: 'run_again', at: 9_000 }), 'run_a');
  writeRun(database, new SampleRun({ run_id: 'run_damaged', at: 9_000 }), 'run_helper');
  database.exec("update runs set record = '{' where run_id = 'run_damaged'");
  database.exec("insert into usage_totals values ('old/model', 3, 10, 0, 5, 0, 0); pragma user_version = 1");
  database.close();
  return folder;
}

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'errand.db'));
  database.exec(sql);
  database.close();
}

function versionOf(folder: string): unknown {
  const database = new DatabaseSync(join(folder, 'errand.db'), { readOnly: true });
  const version = database.prepare('pragma user_version').get()?.user_version;
  database.close();
  return version;
}

describe('a store of version 1', () => {
  it('[DUR-4] [DUR-7] is brought up to date: runs are found by the run that they began from', async () => {
    const folder = oldStore();
    const journal = openStore({ folder });
    expect(versionOf(folder)).toBe(2);
    const found = await journal.records({ resumed_from: 'run_a' });
    expect(found.map((record) => record.run_id)).toEqual(['run_again']);
    expect(await journal.records({ resumed_from: 'run_helper' })).toMatchObject([{ run_id: 'run_damaged' }]);
    const again = new SampleRun({ run_id: 'run_new' });
    await again.claim(journal);
    await journal.append([withSpec(again.create(), { resumed_from: 'run_a' })]);
    expect(await journal.records({ resumed_from: 'run_a' })).toHaveLength(2);
    expect(await journal.check()).toEqual([expect.stringContaining('row of run_damaged is no JSON')]);
    await journal.close();
  });

  it('[DUR-4] [DUR-7] has no origin from a row that is about another run, but from the events of the run itself', async () => {
    const folder = oldStore();
    change(
      folder,
      "update runs set record = (select record from runs where run_id = 'run_again') where run_id <> 'run_again'",
    );
    const journal = openStore({ folder });
    const asked = async (resumed_from: string) =>
      (await journal.records({ resumed_from })).map((record) => record.run_id);
    expect(await asked('run_a')).toEqual(['run_again']);
    expect(await asked('run_helper')).toEqual(['run_damaged']);
    expect((await journal.records({ root_id: 'run_a' })).map((record) => record.run_id)).toEqual([
      'run_a',
      'run_helper',
    ]);
    await journal.close();
  });

  it.each([
    ['its row is', "run_id = 'run_helper'"],
    ['its row is not', 'false'],
  ])(
    '[DUR-7] knows of a helper the call that made it, where %s damaged when it is brought up to date',
    async (_what, where) => {
      const folder = oldStore();
      change(folder, `update runs set record = '{' where ${where}`);
      const journal = openStore({ folder });
      expect(await journal.unreadable('run_a')).toEqual([]);
      change(folder, "update runs set record = '{'; update events set data = '{'");
      expect(await journal.unreadable('run_a')).toEqual([
        { run_id: 'run_a', parent_id: null, call_id: null, resumed_from: null },
        { run_id: 'run_helper', parent_id: 'run_a', call_id: 'call_agent', resumed_from: null },
      ]);
      expect(await journal.unreadable('run_damaged')).toMatchObject([{ resumed_from: 'run_helper' }]);
      await journal.close();
    },
  );

  it('[DUR-7] is brought up to date with a run of which nothing can be read, which then is one without origin', async () => {
    const folder = oldStore();
    change(folder, "update events set data = '{' where run_id = 'run_damaged'");
    const journal = openStore({ folder });
    const nothing = { parent_id: null, call_id: null, resumed_from: null };
    expect(await journal.unreadable('run_damaged')).toEqual([{ run_id: 'run_damaged', ...nothing }]);
    expect(await journal.records()).toHaveLength(3);
    await journal.close();
  });

  it('[DUR-5] is read, counted, swept and cleared as any other', async () => {
    const journal = openStore({ folder: oldStore() });
    expect(await journal.records()).toHaveLength(4);
    const usage = [
      { model: 'sample/sample-1', runs: 4, deleted: 0, usage: { input: 400, output: 40 } },
      { model: 'old/model', runs: 3, deleted: 3, usage: { input: 10, output: 5 } },
    ];
    expect(await journal.usage()).toMatchObject(usage);
    expect(await journal.retain({ ...KEEP_ALL, hiddenAge: 5_000 })).toEqual({ runs: 0, conversations: 1 });
    await expect(journal.read('run_helper')).rejects.toMatchObject({ code: 'swept' });
    expect(await journal.retain(KEEP_NONE)).toEqual({ runs: 4, conversations: 0 });
    expect(await journal.usage()).toMatchObject([{ ...usage[0], deleted: 4 }, usage[1]]);
    await journal.close();
  });

  it('[DUR-7] stays as it is where that fails, and is brought up to date the next time', async () => {
    const folder = oldStore();
    const disk = new FailingDisk();
    disk.failWhen((sql) => (sql.startsWith('pragma user_version =') ? 'full' : null));
    expect(() => openStore({ folder, connect: disk.connect })).toThrow(expect.objectContaining({ code: 'full' }));
    expect(versionOf(folder)).toBe(1);
    const journal = openStore({ folder });
    expect(await journal.records({ resumed_from: 'run_a' })).toHaveLength(1);
    await journal.close();
  });

  it('[DUR-6] can be opened by two at once, and by who only reads', async () => {
    const folder = oldStore();
    const journals = [openStore({ folder, mode: 'read' }), openStore({ folder })];
    for (const journal of journals) expect(await journal.records({ resumed_from: 'run_a' })).toHaveLength(1);
    await Promise.all(journals.map((journal) => journal.close()));
  });

  it('[DUR-7] of an earlier version on a disk that cannot be written is read all the same, and left as it is', async () => {
    const folder = oldStore();
    const before = readFileSync(join(folder, 'errand.db'));
    const connect = () => {
      throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
    };
    const journal = openSqliteJournal({ folder, mode: 'read', clock: createSystemClock(), connect });
    expect((await journal.records()).map(({ run_id }) => run_id)).toContain('run_helper');
    expect(await journal.records({ resumed_from: 'run_a' })).toMatchObject([{ run_id: 'run_again' }]);
    expect(await journal.read('run_helper')).not.toHaveLength(0);
    expect(await journal.usage()).toContainEqual(expect.objectContaining({ model: 'old/model', deleted: 3 }));
    await journal.close();
    expect(readFileSync(join(folder, 'errand.db'))).toEqual(before);
  });
});
