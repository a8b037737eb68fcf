import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { KEEP_ALL, KEEP_NONE } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { startChild } from './child.ts';
import { FailingDisk } from './failing-disk.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

interface TreeOptions {
  readonly children: number;
  readonly output?: string;
  readonly at?: number;
}

/** A tree of which every run made two steps and completed. */
async function appendTree(journal: Journal, run_id: string, { children, output, at = 1_000 }: TreeOptions) {
  const parent = new SampleRun({ run_id, at });
  const runs = Array.from(
    { length: children },
    (_, index) => new SampleRun({ run_id: `${run_id}_${index}`, parent, at }),
  );
  await parent.claim(journal);
  const all = [parent, ...runs];
  await journal.append(all.flatMap((run) => [run.create(), run.start(), ...run.step(output), ...run.step()]));
  await journal.append(all.map((run) => run.settle()));
  return all;
}

function ask(folder: string, sql: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, 'errand.db'));
  const rows = database
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
  database.close();
  return rows;
}

describe('retention', () => {
  it('[DUR-5] keeps what deleted runs have used, by model, and nothing else of them', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const pinned = journal.putBlob('You are a helper.');
    await appendTree(journal, 'run_a', { children: 2, output: 'x'.repeat(40_000) });
    await appendTree(journal, 'run_b', { children: 0 });
    expect((await journal.retain(KEEP_NONE)).runs).toBe(4);
    await appendTree(journal, 'run_c', { children: 0 });
    expect((await journal.retain(KEEP_NONE)).runs).toBe(1);
    expect(ask(folder, 'select * from usage_totals')).toEqual([
      { model: 'sample/sample-1', runs: 5, input: 1_000, cached: 0, output: 100, reasoning: 0, unknown_calls: 0 },
    ]);
    for (const table of ['runs', 'events', 'event_texts', 'leases']) {
      expect(ask(folder, `select count(*) as count from ${table}`)).toEqual([{ count: 0 }]);
    }
    expect(ask(folder, 'select address from blobs')).toEqual([{ address: pinned }]);
    await journal.close();
  });

  it('[DUR-5] works in small transactions: no more than about a thousand events each', async () => {
    const disk = new FailingDisk();
    const journal = openStore({ folder: temporaryFolder(), connect: disk.connect });
    // 401 runs of 11 events each.
    await appendTree(journal, 'run_a', { children: 400 });
    disk.statements.length = 0;
    expect((await journal.retain(KEEP_NONE)).runs).toBe(401);
    const commits = disk.statements.filter((sql) => sql === 'commit').length;
    expect(commits).toBeGreaterThanOrEqual(6);
    expect(commits).toBeLessThanOrEqual(9);
    await journal.close();
  });

  it.each([1, 2, 4, 7])(
    '[DUR-5] [DUR-1] that is killed after its transaction %i leaves whole trees or their upper part, and is finished by the next',
    async (count) => {
      const folder = temporaryFolder();
      const journal = openStore({ folder });
      for (const name of ['run_a', 'run_b', 'run_c']) await appendTree(journal, name, { children: 200 });
      const child = startChild('retain', folder);
      for (let part = 0; part < count; part++) expect((await child.lines.next()).value).toBe('part');
      child.process.kill('SIGKILL');
      expect(await child.ended).toBe('SIGKILL');
      expect(await journal.check()).toEqual([]);
      const left = await journal.records();
      expect(left.length).toBeLessThan(603);
      for (const { parent_id } of left) {
        if (parent_id !== null) expect(left.some((record) => record.run_id === parent_id)).toBe(true);
      }
      expect((await journal.retain(KEEP_NONE)).runs).toBe(left.length);
      expect(ask(folder, 'select runs, input from usage_totals')).toEqual([{ runs: 603, input: 120_600 }]);
      expect(await journal.check()).toEqual([]);
      await journal.close();
    },
  );

  it('[DUR-5] ends where the journal is closed, and is finished by the next', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    await appendTree(journal, 'run_a', { children: 400 });
    let parts = 0;
    const closing = new Promise<void>((resolve) => {
      journal.observe(() => {
        if (++parts === 2) resolve(journal.close());
      });
    });
    await expect(journal.retain(KEEP_NONE)).rejects.toMatchObject({ code: 'closed' });
    await closing;
    const again = openStore({ folder });
    expect(await again.check()).toEqual([]);
    const left = await again.records();
    expect(left.length).toBeLessThan(401);
    expect((await again.retain(KEEP_NONE)).runs).toBe(left.length);
    await again.close();
  });

  it('[DUR-5] sweeps conversations in small transactions too, and leaves nothing of them but their rows', async () => {
    const disk = new FailingDisk();
    const folder = temporaryFolder();
    const journal = openStore({ folder, connect: disk.connect });
    const pinned = journal.putBlob('You are a helper.');
    await appendTree(journal, 'run_a', { children: 400, output: 'x'.repeat(40_000) });
    await appendTree(journal, 'run_late', { children: 0, at: 9_000 });
    disk.statements.length = 0;
    expect(await journal.retain({ ...KEEP_ALL, hiddenAge: 1_000 })).toEqual({ runs: 0, conversations: 400 });
    const commits = disk.statements.filter((sql) => sql === 'commit').length;
    expect(commits).toBeGreaterThanOrEqual(6);
    expect(commits).toBeLessThanOrEqual(9);
    expect(ask(folder, 'select distinct run_id from events')).toEqual([{ run_id: 'run_a' }, { run_id: 'run_late' }]);
    expect(ask(folder, 'select run_id from event_texts')).toEqual([{ run_id: 'run_a' }]);
    expect(ask(folder, 'select count(*) as count from blobs')).toEqual([{ count: 2 }]);
    expect(await journal.getBlob(pinned)).toBe('You are a helper.');
    expect(await journal.records()).toHaveLength(402);
    expect(await journal.check()).toEqual([]);
    await journal.close();
  });

  it('[DUR-5] that sweeps and ends where the journal is closed leaves a sound store, and is finished by the next', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    await appendTree(journal, 'run_a', { children: 400 });
    await appendTree(journal, 'run_late', { children: 0, at: 9_000 });
    const rule = { ...KEEP_ALL, hiddenAge: 1_000 };
    let parts = 0;
    const closing = new Promise<void>((resolve) => {
      journal.observe(() => {
        if (++parts === 2) resolve(journal.close());
      });
    });
    await expect(journal.retain(rule)).rejects.toMatchObject({ code: 'closed' });
    await closing;
    const again = openStore({ folder });
    expect(await again.check()).toEqual([]);
    const left = Number(ask(folder, 'select count(*) as count from runs where swept = 0')[0]?.count) - 2;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(400);
    expect(await again.retain(rule)).toEqual({ runs: 0, conversations: left });
    expect(await again.check()).toEqual([]);
    await again.close();
  });

  it('[DUR-5] [DUR-6] leaves a tree alone that another process has gone on with since it was looked at, though it is over again', async () => {
    const folder = temporaryFolder();
    const [journal, other] = [openStore({ folder }), openStore({ folder })];
    await appendTree(journal, 'run_a', { children: 400 });
    const [parent = new SampleRun({ run_id: 'run_b' })] = await appendTree(journal, 'run_b', { children: 400 });
    await appendTree(journal, 'run_late', { children: 0, at: 9_000 });
    const goneOn = new Promise<void>((resolve, reject) => {
      let parts = 0;
      journal.observe(() => {
        if (++parts !== 1) return;
        const helper = new SampleRun({ run_id: 'run_helper', parent, at: 20_000 });
        const all = other.append([helper.create(), helper.start(), helper.settle()]);
        all.then(resolve, reject);
      });
    });
    expect(await journal.retain({ ...KEEP_ALL, hiddenAge: 1_000 })).toEqual({ runs: 0, conversations: 400 });
    await goneOn;
    expect(await other.read('run_b_7')).toHaveLength(11);
    await expect(other.read('run_a_7')).rejects.toMatchObject({ code: 'swept' });
    await Promise.all([journal.close(), other.close()]);
  });

  it('[DUR-7] on a disk that fails says so with an error of the catalogue, and goes on when it works again', async () => {
    const disk = new FailingDisk();
    const journal = openStore({ folder: temporaryFolder(), connect: disk.connect });
    await appendTree(journal, 'run_a', { children: 2 });
    await appendTree(journal, 'run_late', { children: 0, at: 9_000 });
    const rule = { ...KEEP_ALL, hiddenAge: 1_000 };
    const before = await journal.usage();
    for (const at of ['select root_id', 'begin immediate', 'delete from events', 'update runs set swept', 'commit']) {
      disk.failWhen((sql) => (sql.startsWith(at) ? 'write' : null));
      await expect(journal.retain(rule)).rejects.toMatchObject({ code: 'io' });
      disk.heal();
      expect(await journal.read('run_a_1')).toHaveLength(11);
    }
    disk.failWhen((sql) => (sql.startsWith('select model') ? 'read' : null));
    await expect(journal.usage()).rejects.toMatchObject({ code: 'io' });
    disk.heal();
    expect(await journal.retain(rule)).toEqual({ runs: 0, conversations: 2 });
    expect(await journal.usage()).toEqual(before);
    expect(await journal.check()).toEqual([]);
    await journal.close();
  });
});

describe('a search for damage', () => {
  it.each([
    ['a row that is no JSON', "update runs set record = '{' where run_id = 'run_b'", /row of run_b is no JSON/u],
    [
      'a row of another run',
      "update runs set record = '{}' where run_id = 'run_b'",
      /row of run_b is no record of it/u,
    ],
    ['an event that is no JSON', "update events set data = '{' where run_id = 'run_b' and seq = 4", /event of run_b/u],
    ['an event that is gone', "delete from events where run_id = 'run_b' and seq = 4", /Events of run_b are missing/u],
    ['all events gone', "delete from events where run_id = 'run_b'", /Events of run_b are missing/u],
    ['events of a swept run', "update runs set swept = 1 where run_id = 'run_b'", /events of run_b, whose conver/u],
    ['a row that is gone', "delete from runs where run_id = 'run_b'", /events of run_b, but no row/u],
    ['a long text that is gone', 'delete from blobs where pinned = 0', /long text of run_b is missing/u],
    ['a system text that is gone', 'delete from blobs where pinned = 1', /system text .* of run_b is missing/u],
    ['a text that has changed', "update blobs set bytes = x'41' where pinned = 1", /stored text [0-9a-f]{64} is not/u],
    [
      'a text without a place',
      "update event_texts set path = '[\"x\"]' where run_id = 'run_b'",
      /run_b cannot be read/u,
    ],
    [
      'an event of another kind',
      "update events set type = 'run.started' where run_id = 'run_b' and seq = 1",
      /run_b do not/u,
    ],
    [
      'a row that was changed',
      "update runs set record = json_set(record, '$.steps', 9) where run_id = 'run_b'",
      /run_b.*steps/u,
    ],
    [
      'a command that is no JSON',
      "insert into commands (boot_id, data) values ('boot_a', '{')",
      /Command 1 is no JSON/u,
    ],
  ])('[DUR-7] names %s, once, and nothing that is sound', async (_what, sql, sentence) => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const system = journal.putBlob('You are a helper.');
    const sound = new SampleRun({ run_id: 'run_a' });
    const run = new SampleRun({ run_id: 'run_b', system });
    for (const each of [sound, run]) {
      await each.claim(journal);
      await journal.append([each.create(), each.start()]);
    }
    for (const entry of run.step('x'.repeat(40_000))) await journal.append([entry]);
    expect(await journal.check()).toEqual([]);
    ask(folder, sql);
    expect(await journal.check()).toEqual([expect.stringMatching(sentence)]);
    expect(await journal.read('run_a')).toEqual(sound.events);
    await journal.close();
  });

  it('[DUR-7] names at most twenty of a kind, and says how many there are', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    await appendTree(journal, 'run_a', { children: 29 });
    ask(folder, "update events set data = '{' where seq = 3");
    const problems = await journal.check();
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toContain('10 more');
    await journal.close();
  });
});

describe('a backup', () => {
  it('[DUR-7] is a store of its own, for its owner only, as it was when it was begun', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const runs = await appendTree(journal, 'run_a', { children: 20, output: 'x'.repeat(60_000) });
    const restored = temporaryFolder();
    const file = join(restored, 'errand.db');
    await journal.backup(file);
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    await journal.discard('run_a', 1);
    const copy = openStore({ folder: restored });
    for (const run of runs) expect(await copy.read(run.run_id)).toEqual(run.events);
    expect(await copy.check()).toEqual([]);
    await Promise.all([journal.close(), copy.close()]);
  });

  it('[DUR-7] is consistent while this process and another write without a pause', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    for (let tree = 0; tree < 12; tree++) {
      // Some thousands of pages: the copy takes several steps.
      await appendTree(journal, `run_${tree}`, { children: 60, output: 'x'.repeat(30_000) });
    }
    const child = startChild('append', folder, 'other', '100000');
    await child.lines.next();
    const file = join(temporaryFolder(), 'errand.db');
    let made = false;
    const copying = journal.backup(file).then(() => {
      made = true;
    });
    let written = 0;
    while (!made) {
      const own = new SampleRun({ run_id: `run_meanwhile_${written++}` });
      await own.claim(journal);
      await journal.append([own.create(), own.start()]);
    }
    await copying;
    expect(written).toBeGreaterThan(0);
    expect(child.process.exitCode).toBeNull();
    child.process.kill('SIGKILL');
    await child.ended;
    const copy = openStore({ folder: join(file, '..') });
    expect(await copy.check()).toEqual([]);
    expect((await copy.records({ root_id: 'run_11' })).length).toBe(61);
    // Each append of that process holds an entry of both runs.
    expect((await copy.read('other_parent')).length).toBe((await copy.read('other_child')).length);
    await Promise.all([journal.close(), copy.close()]);
  });

  it('[DUR-7] overwrites nothing, and says what is wrong with the place that was named', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const file = join(folder, 'mine');
    writeFileSync(file, 'my poems');
    await expect(journal.backup(file)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(file),
    });
    expect(readFileSync(file, 'utf8')).toBe('my poems');
    const nowhere = join(folder, 'none', 'copy.db');
    await expect(journal.backup(nowhere)).rejects.toMatchObject({
      code: 'io',
      message: expect.stringContaining(nowhere),
    });
    await expect(journal.backup(join(folder, 'errand.db'))).rejects.toMatchObject({ code: 'conflict' });
    await journal.close();
  });

  it('[DUR-7] can be made by who only reads; where there is nothing to copy, nothing is made', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'copy.db');
    const none = openStore({ folder: join(folder, 'none'), mode: 'read' });
    await expect(none.backup(file)).rejects.toMatchObject({ code: 'io' });
    expect(existsSync(file)).toBe(false);
    const journal = openStore({ folder });
    await appendTree(journal, 'run_a', { children: 0 });
    const reading = openStore({ folder, mode: 'read' });
    await reading.backup(file);
    expect(existsSync(file)).toBe(true);
    await Promise.all([journal.close(), reading.close(), none.close()]);
  });

  it('[DUR-7] of a journal in memory is refused: there is no file to copy', async () => {
    const journal = createMemoryJournal();
    await expect(journal.backup(join(temporaryFolder(), 'copy.db'))).rejects.toMatchObject({ code: 'io' });
    await journal.close();
  });
});
