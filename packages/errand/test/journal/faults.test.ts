import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, type TestContext } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

/** A store with two runs of one step each, closed. */
async function filledFolder(): Promise<string> {
  const folder = temporaryFolder();
  const journal = openStore({ folder });
  for (const run_id of ['run_a', 'run_b']) await appendAll(journal, new SampleRun({ run_id }), 'x'.repeat(40_000));
  await journal.close();
  return folder;
}

async function appendAll(journal: Journal, run: SampleRun, output?: string): Promise<void> {
  await run.claim(journal);
  for (const entry of [run.create(), run.start(), ...run.step(output)]) await journal.append([entry]);
}

function overwrite(file: string, position: number, length: number): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(length, 0xa5), 0, length, position);
  closeSync(descriptor);
}

function change(folder: string, sql: string): void {
  const database = new DatabaseSync(join(folder, 'errand.db'));
  database.exec(sql);
  database.close();
}

/** Mounts a small disk of its own; skips the test, saying why, where that is not allowed. */
function smallDisk(context: TestContext, megabytes: number): string {
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    context.skip(`a small disk cannot be mounted here: ${String((error as Error).message).trim()}`);
  }
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

describe('a damaged store', () => {
  it.each([
    ['an event that is no JSON', "update events set data = '{' where run_id = 'run_a' and seq = 3"],
    ['an event that is no object', "update events set data = '[]' where run_id = 'run_a' and seq = 3"],
    ['an event that is gone', "delete from events where run_id = 'run_a' and seq = 3"],
    ['a last event that is gone', "delete from events where run_id = 'run_a' and seq = 6"],
    ['a large text that is gone', "update event_texts set address = '0' where run_id = 'run_a'"],
    ['a large text without a place', `update event_texts set path = '["nowhere"]' where run_id = 'run_a'`],
  ])('[DUR-7] %s is named when its run is read; other runs are read as ever', async (_what, sql) => {
    const folder = await filledFolder();
    change(folder, sql);
    const journal = openStore({ folder });
    const damage = { code: 'corrupt', message: expect.stringContaining('run_a') };
    await expect(journal.read('run_a')).rejects.toMatchObject(damage);
    expect(await journal.read('run_b')).toHaveLength(6);
    expect(await journal.records()).toHaveLength(2);
    await journal.close();
  });

  it('[DUR-7] a command that is no JSON is left out; those after it arrive', async () => {
    const folder = await filledFolder();
    const journal = openStore({ folder });
    const boot = { boot_id: 'boot_a', pid: 1, process_start: null, host: 'here', started_at: 1 };
    await journal.openBoot(boot);
    change(folder, "insert into commands (boot_id, data) values ('boot_a', 'nonsense')");
    await journal.sendCommand('boot_a', { kind: 'cancel', run_id: 'run_a', reason: 'user' });
    const { emitWarning } = process;
    const warnings: string[] = [];
    process.emitWarning = (warning: string | Error) => void warnings.push(String(warning));
    onTestFinished(() => {
      process.emitWarning = emitWarning;
    });
    const command = await new Promise((resolve) => journal.receiveCommands('boot_a', resolve));
    expect(command).toMatchObject({ kind: 'cancel', run_id: 'run_a' });
    expect(warnings).toEqual([expect.stringContaining('is damaged')]);
    await journal.close();
  });

  it.each([
    ['holds something else', (file: string) => writeFileSync(file, 'my poems\n'.repeat(1_000))],
    ['begins with something else', (file: string) => overwrite(file, 0, 100)],
    ['has lost its list of tables', (file: string) => overwrite(file, 100, 8_000)],
    ['was cut', (file: string) => truncateSync(file, 20_000)],
    ['was cut in its first page', (file: string) => truncateSync(file, 5_000)],
    ['was cut to a stump', (file: string) => truncateSync(file, 3)],
  ])('[DUR-7] whose file %s is refused with words, and left as it is', async (_what, damage) => {
    const folder = await filledFolder();
    const file = join(folder, 'errand.db');
    const other = temporaryFolder();
    const journal = openStore({ folder });
    await journal.backup(join(other, 'copy'));
    await journal.close();
    damage(file);
    const before = readFileSync(file);
    for (const mode of ['read', 'write'] as const) {
      const error = {
        code: 'corrupt',
        message: expect.stringMatching(/move it away .* or put a backup in its place\.$/u),
      };
      expect(() => openStore({ folder, mode })).toThrow(expect.objectContaining(error));
      expect(() => openStore({ folder, mode })).toThrow(file);
    }
    expect(readFileSync(file).equals(before)).toBe(true);
    renameSync(file, join(other, 'damaged'));
    const empty = openStore({ folder });
    expect(await empty.records()).toEqual([]);
    await empty.close();
    renameSync(join(other, 'copy'), file);
    const restored = openStore({ folder });
    expect(await restored.records()).toHaveLength(2);
    expect(await restored.check()).toEqual([]);
    await restored.close();
  });

  it('[DUR-7] with a page of garbage keeps every run that has nothing there; a check names file and runs', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const runs = Array.from({ length: 40 }, (_, index) => new SampleRun({ run_id: `run_${index}` }));
    for (const run of runs) await appendAll(journal, run, 'x'.repeat(4_000));
    await journal.close();
    const database = new DatabaseSync(join(folder, 'errand.db'));
    const leaves = "select pageno from dbstat where name = 'events' and pagetype = 'leaf' order by pageno";
    const page = Number(database.prepare(leaves).all()[3]?.pageno);
    database.close();
    overwrite(join(folder, 'errand.db'), (page - 1) * 8_192, 8_192);
    const again = openStore({ folder });
    const lost: string[] = [];
    for (const run of runs) {
      const read = again.read(run.run_id).then(
        (events) => expect(events).toEqual(run.events),
        (error: { code?: unknown }) => {
          expect(error.code).toBe('corrupt');
          lost.push(run.run_id);
        },
      );
      await read;
    }
    expect(lost.length).toBeGreaterThan(0);
    expect(lost.length).toBeLessThan(5);
    expect(await again.records()).toHaveLength(40);
    const problems = await again.check();
    expect(problems[0]).toContain('The file is damaged');
    for (const run of lost) expect(problems).toContainEqual(expect.stringContaining(`${run} cannot be read`));
    const fresh = new SampleRun({ run_id: 'run_new' });
    await appendAll(again, fresh);
    expect(await again.read('run_new')).toEqual(fresh.events);
    await again.close();
  });

  it('[DUR-7] a store with other tables than its number says is damaged, and the words say what to do', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'errand.db');
    const database = new DatabaseSync(path);
    database.exec('create table runs (run_id text); pragma user_version = 1');
    database.close();
    expect(() => openStore({ folder })).toThrowError(
      expect.objectContaining({ code: 'corrupt', message: expect.stringContaining('move it away') }),
    );
  });

  it.each(['read', 'write'] as const)('[DUR-7] a store of a newer Errand is refused with words (%s)', async (mode) => {
    const folder = await filledFolder();
    change(folder, 'pragma user_version = 99');
    expect(() => openStore({ folder, mode })).toThrow(
      expect.objectContaining({ code: 'io', message: expect.stringContaining('newer Errand (store version 99') }),
    );
  });
});

describe('texts under their content address', () => {
  it('[DUR-1] are written once: a text that was written and has gone since is not held in memory', async () => {
    const folder = await filledFolder();
    const journal = openStore({ folder });
    const address = journal.putBlob('You are a helper.');
    await appendAll(journal, new SampleRun({ run_id: 'run_c' }));
    change(folder, 'delete from blobs');
    await appendAll(journal, new SampleRun({ run_id: 'run_d' }));
    expect(await journal.getBlob(address)).toBeNull();
    await journal.close();
  });

  it('[DUR-1] are shared by runs that hold the same, and go with the last of them', async () => {
    const folder = await filledFolder();
    const database = new DatabaseSync(join(folder, 'errand.db'));
    const count = () => database.prepare('select count(*) as count from blobs').get()?.count;
    expect(count()).toBe(1);
    const journal = openStore({ folder });
    await journal.discard('run_a', 1);
    expect(count()).toBe(1);
    await journal.discard('run_b', 1);
    expect(count()).toBe(0);
    database.close();
    await journal.close();
  });
});

describe('a store that cannot be written', () => {
  it('[DUR-7] on a read-only disk is read, and refuses to be written', async (context) => {
    const folder = smallDisk(context, 8);
    const journal = openStore({ folder });
    const run = new SampleRun({ run_id: 'run_a' });
    await appendAll(journal, run);
    await journal.close();
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const reading = openStore({ folder, mode: 'read' });
    expect(await reading.read('run_a')).toEqual(run.events);
    expect(await reading.records()).toHaveLength(1);
    await reading.close();
    expect(() => openStore({ folder })).toThrow(
      expect.objectContaining({ code: 'read_only', message: expect.stringContaining(folder) }),
    );
    const other = join(folder, 'none');
    expect(() => openStore({ folder: other })).toThrow(expect.objectContaining({ code: 'read_only' }));
    expect(await openStore({ folder: other, mode: 'read' }).records()).toEqual([]);
  });

  it('[DUR-7] on a full disk says so, keeps what it has, and goes on when there is room', async (context) => {
    const folder = smallDisk(context, 4);
    const filler = join(folder, 'filler');
    const journal = openStore({ folder: join(folder, 'store') });
    const run = new SampleRun({ run_id: 'run_a' });
    await appendAll(journal, run);
    writeFileSync(filler, 'x'.repeat(1_500_000));
    const refused = await fillUp(journal, run);
    expect(refused.error).toMatchObject({ code: 'full', message: expect.stringContaining('Free some space') });
    expect(await journal.read('run_a')).toEqual(run.events.slice(0, refused.recorded));
    await expect(journal.append([refused.entry])).rejects.toMatchObject({ code: 'full' });
    rmSync(filler);
    await journal.append([refused.entry]);
    await journal.close();
    const again = openStore({ folder: join(folder, 'store'), mode: 'read' });
    expect(await again.read('run_a')).toEqual(run.events.slice(0, refused.recorded + refused.entry.events.length));
    await again.close();
  });

  it('[DUR-7] on a full disk keeps all that was acknowledged, of many runs at once, and each goes on afterwards', async (context) => {
    const folder = smallDisk(context, 8);
    const journal = openStore({ folder: join(folder, 'store') });
    const runs = Array.from({ length: 30 }, (_, index) => new SampleRun({ run_id: `run_${index}` }));
    await Promise.all(runs.map((run) => appendAll(journal, run)));
    writeFileSync(join(folder, 'filler'), 'x'.repeat(3_000_000));
    const stopped = await Promise.all(runs.map((run) => fillUp(journal, run)));
    for (const { error } of stopped) expect(error).toMatchObject({ code: 'full' });
    const fresh = () => openStore({ folder: join(folder, 'another') });
    expect(fresh).toThrow(expect.objectContaining({ code: 'full', message: expect.stringContaining(folder) }));
    for (const [index, run] of runs.entries()) {
      expect(await journal.read(run.run_id)).toEqual(run.events.slice(0, stopped[index]?.recorded));
    }
    execFileSync('mount', ['-o', 'remount,size=32m', folder]);
    await Promise.all(stopped.map(({ entry }) => journal.append([entry])));
    await journal.close();
    const again = openStore({ folder: join(folder, 'store') });
    for (const [index, run] of runs.entries()) {
      const { recorded = 0, entry } = stopped[index] ?? {};
      const count = recorded + (entry?.events.length ?? 0);
      expect(await again.read(run.run_id)).toEqual(run.events.slice(0, count));
    }
    expect(await again.check()).toEqual([]);
    await again.close();
    await fresh().close();
  });

  /** Appends until the disk is full. */
  async function fillUp(journal: Journal, run: SampleRun) {
    let recorded = run.events.length;
    for (let step = 0; ; step++) {
      for (const entry of run.step(`${run.run_id} ${step} `.repeat(2_000))) {
        try {
          await journal.append([entry]);
          recorded += entry.events.length;
        } catch (error) {
          return { error, entry, recorded };
        }
      }
    }
  }
});

describe('a store that another process has locked', () => {
  function locked(folder: string): DatabaseSync {
    const database = new DatabaseSync(join(folder, 'errand.db'));
    database.exec('begin immediate');
    onTestFinished(() => {
      if (database.isOpen) database.close();
    });
    return database;
  }

  it('[DUR-6] is waited for, beside everything else, and then written in order', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    const lock = locked(folder);
    const appended = [run.create(), run.start(), ...run.step()].map((entry) => journal.append([entry]));
    let settled = false;
    void Promise.allSettled(appended).then(() => {
      settled = true;
    });
    // Everything else goes on meanwhile.
    for (let turn = 0; turn < 20; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(await journal.records()).toEqual([]);
    }
    expect(settled).toBe(false);
    const later = journal.append([run.settle()]);
    lock.exec('rollback');
    await Promise.all([...appended, later]);
    expect(await journal.read('run_a')).toEqual(run.events);
    await journal.close();
  });

  it('[DUR-6] is called busy when that takes too long, and can be written when it is free again', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder, timeout: 50 });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    const lock = locked(folder);
    const created = run.create();
    const address = journal.putBlob('You are a helper.');
    await expect(journal.append([created])).rejects.toMatchObject({
      code: 'busy',
      message: expect.stringContaining(folder),
    });
    expect(await journal.getBlob(address)).toBe('You are a helper.');
    lock.exec('rollback');
    await journal.append([created]);
    expect(await journal.read('run_a')).toEqual(run.events);
    await journal.close();
    const again = openStore({ folder, mode: 'read' });
    expect(await again.getBlob(address)).toBe('You are a helper.');
    await again.close();
  });
});

describe('the folder of a store', () => {
  it('[DUR-7] and all in it is for its owner only', async () => {
    const folder = join(temporaryFolder(), 'data', 'errand');
    const journal = openStore({ folder });
    await journal.openBoot({ boot_id: 'boot_a', pid: 1, process_start: null, host: 'here', started_at: 1 });
    const names = readdirSync(folder, { recursive: true }).map(String).sort();
    expect(names).toEqual(['errand.db', 'errand.db-shm', 'errand.db-wal', 'wake', join('wake', 'boot_a')]);
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(folder)).toBe('700');
    expect(modeOf(join(folder, 'wake'))).toBe('700');
    for (const name of names.filter((each) => each !== 'wake')) expect(modeOf(join(folder, name))).toBe('600');
    await journal.close();
  });

  it('[DUR-7] is not made by reading; what comes into being later is seen', async () => {
    const folder = join(temporaryFolder(), 'none');
    const reading = openStore({ folder, mode: 'read' });
    expect(await reading.records()).toEqual([]);
    expect(await reading.read('run_a')).toEqual([]);
    expect(await reading.record('run_a')).toBeNull();
    expect(await reading.boots()).toEqual([]);
    expect(await reading.getBlob('0')).toBeNull();
    await expect(reading.append([])).rejects.toMatchObject({ code: 'read_only' });
    expect(() => reading.putBlob('text')).toThrow(expect.objectContaining({ code: 'read_only' }));
    expect(existsSync(folder)).toBe(false);
    const writing = openStore({ folder });
    await appendAll(writing, new SampleRun({ run_id: 'run_a' }));
    expect(await reading.records()).toHaveLength(1);
    await Promise.all([reading.close(), writing.close()]);
  });

  it('[DUR-7] that is a file is refused with words', () => {
    const folder = join(temporaryFolder(), 'file');
    writeFileSync(folder, '');
    expect(() => openStore({ folder })).toThrow(expect.objectContaining({ code: 'io' }));
  });
});
