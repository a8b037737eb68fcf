import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { KEEP_ALL, withSpec } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { FailingDisk } from './failing-disk.ts';
import { openStore } from './open-store.ts';

const TREES = 250;
const CHILDREN = 19;
const STEPS = 5;
/** The last tree lives; it has this many events per run, the others one more. */
const EVENTS = 2 + 4 * STEPS;
const DAY = 86_400_000;

const folder = mkdtempSync(join(tmpdir(), 'errand-large-'));
const disk = new FailingDisk();
let journal: Journal;
/** The tree that lives. */
let living: readonly SampleRun[];

/** A tree a day, of twenty runs of five steps. */
async function appendTree(index: number): Promise<readonly SampleRun[]> {
  const at = index * DAY;
  const parent = new SampleRun({ run_id: `run_${index}`, at });
  const runs = [parent];
  for (let child = 0; child < CHILDREN; child++) {
    runs.push(new SampleRun({ run_id: `run_${index}_${child}`, parent, at }));
  }
  await parent.claim(journal);
  await journal.append(runs.map((run) => run.create()));
  for (const run of runs) {
    const entries = [run.start(), ...Array.from({ length: STEPS }, () => run.step()).flat()];
    await journal.append(index === TREES - 1 ? entries : [...entries, run.settle()]);
  }
  return runs;
}

beforeAll(async () => {
  journal = openStore({ folder, connect: disk.connect });
  for (let index = 0; index < TREES; index++) living = await appendTree(index);
}, 120_000);

afterAll(async () => {
  await journal.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What one call asks of SQLite: its statements and the rows it gets. */
async function asked(call: () => Promise<unknown>): Promise<{ statements: readonly string[]; rows: number }> {
  disk.statements.length = 0;
  disk.rows = 0;
  await call();
  return { statements: [...disk.statements], rows: disk.rows };
}

/** How SQLite finds what the statements ask for, one line per step. */
function plansOf(statements: readonly string[]): readonly string[] {
  const database = new DatabaseSync(join(folder, 'errand.db'), { readOnly: true });
  const plans = statements
    .filter((sql) => sql.startsWith('select'))
    .flatMap((sql) => database.prepare(`explain query plan ${sql}`).all(...values(sql)));
  database.close();
  return plans.map((row) => String(row.detail));
}

function values(sql: string): readonly number[] {
  return Array.from(sql.matchAll(/\?/gu), () => 0);
}

/** Whatever table is read is searched, by an index or its key; nothing is read whole or sorted afterwards. */
function expectSearches(plans: readonly string[]): void {
  expect(plans.filter((plan) => /^SCAN (?:runs|events|event_texts|blobs)/u.test(plan))).toEqual([]);
  expect(plans.filter((plan) => plan.startsWith('USE TEMP B-TREE'))).toEqual([]);
}

describe('a journal of 5,000 runs and 115,000 events', () => {
  it('[DUR-7] is as large as that, and sound', async () => {
    expect(await journal.records()).toHaveLength(5_000);
    const database = new DatabaseSync(join(folder, 'errand.db'), { readOnly: true });
    expect(database.prepare('select count(*) as count from events').get()?.count).toBe(
      5_000 * (EVENTS + 1) - living.length,
    );
    database.close();
    expect(await journal.check()).toEqual([]);
  });

  it('[DUR-3] gives the runs that live by their index, and no others', async () => {
    const { statements, rows } = await asked(() => journal.records({ live: true }));
    expect(statements).toHaveLength(1);
    expect(rows).toBe(living.length);
    const plans = plansOf(statements);
    expect(plans).toEqual([expect.stringContaining('USING INDEX runs_live')]);
    expectSearches(plans);
  });

  it("[DUR-3] gives the last day's runs, and those that live, by their indexes", async () => {
    const since = (TREES - 2) * DAY;
    const { statements, rows } = await asked(() => journal.records({ since }));
    expect(statements).toHaveLength(1);
    expect(rows).toBe(2 * living.length);
    const plans = plansOf(statements);
    for (const index of ['runs_live', 'runs_by_creation', 'runs_by_end']) {
      expect(plans).toContainEqual(expect.stringMatching(new RegExp(`^SEARCH runs USING .*INDEX ${index}`, 'u')));
    }
    expect(plans).toContainEqual(expect.stringContaining('SEARCH runs USING INTEGER PRIMARY KEY'));
    expectSearches(plans);
  });

  it('[RUN-6] gives the runs of a tree, one run, and its events by their keys', async () => {
    const tree = await asked(() => journal.records({ root_id: 'run_7' }));
    expect(tree.rows).toBe(1 + CHILDREN);
    expect(plansOf(tree.statements)).toEqual([expect.stringContaining('USING INDEX runs_by_root')]);
    const unreadable = await asked(() => journal.unreadable('run_7'));
    expect(unreadable.rows).toBe(1 + CHILDREN);
    expect(plansOf(unreadable.statements)).toEqual([expect.stringContaining('USING INDEX runs_by_root')]);
    const one = await asked(() => journal.record('run_7_3'));
    expect(plansOf(one.statements)).toEqual([expect.stringContaining('sqlite_autoindex_runs_1 (run_id=?)')]);
    const read = await asked(() => journal.read('run_7_3'));
    expect(read.rows).toBe(EVENTS + 1);
    expect(read.statements).toHaveLength(5);
    const plans = plansOf(read.statements);
    expect(plans).toContainEqual(expect.stringContaining('sqlite_autoindex_events_1 (run_id=? AND seq>?)'));
    expectSearches(plans);
    const rest = await asked(() => journal.read('run_7_3', EVENTS));
    expect(rest.rows).toBe(1);
  });

  it('[DUR-3] is recovered by reading what lives, and nothing else', async () => {
    const { statements, rows } = await asked(async () => {
      for (const record of await journal.records({ live: true })) await journal.read(record.run_id);
    });
    expect(rows).toBe(living.length * (1 + EVENTS));
    expect(statements).toHaveLength(1 + 5 * living.length);
    expectSearches(plansOf([...new Set(statements)]));
  });

  it('[DUR-1] is added to by one transaction a tick, one lease looked up per tree, and one row written per run', async () => {
    const claim = { root_id: 'run_new', boot_id: 'boot_sample', mayTake: () => false };
    const fresh = new SampleRun({ run_id: 'run_new', at: TREES * DAY });
    const { statements } = await asked(() =>
      Promise.all([
        ...living.flatMap((run) => run.step().map((entry) => journal.append([entry]))),
        journal.claim(claim),
        journal.append([fresh.create()]),
      ]),
    );
    const count = (start: string) => statements.filter((sql) => sql.startsWith(start)).length;
    expect(count('begin')).toBe(1);
    expect(count('commit')).toBe(1);
    expect(count('select')).toBe(2);
    expect(count('insert into leases')).toBe(1);
    expect(count('insert into events')).toBe(4 * living.length + 1);
    expect(count('update runs')).toBe(living.length);
    expect(count('insert into runs')).toBe(1);
    expect(statements).toHaveLength(2 + 2 + 1 + 4 * living.length + 1 + living.length + 1);
  });

  it('[DUR-4] gives the runs that began with the transcript of another by their index, and looks at no others', async () => {
    const again = new SampleRun({ run_id: 'run_again', at: TREES * DAY });
    await again.claim(journal);
    await journal.append([withSpec(again.create(), { resumed_from: 'run_7' })]);
    const { statements, rows } = await asked(() => journal.records({ resumed_from: 'run_7' }));
    expect(statements).toHaveLength(1);
    expect(rows).toBe(1);
    const plans = plansOf(statements);
    expect(plans).toEqual([expect.stringContaining('USING INDEX runs_by_resumed_from')]);
    expectSearches(plans);
  });

  /** How SQLite finds what the statements delete or mark. */
  function plansOfChanges(statements: readonly string[]): readonly string[] {
    const database = new DatabaseSync(join(folder, 'errand.db'), { readOnly: true });
    const plans = [...new Set(statements)]
      .filter((sql) => sql.includes(':run'))
      .flatMap((sql) => database.prepare(`explain query plan ${sql}`).all({ run: '' }));
    database.close();
    return plans.map((row) => String(row.detail));
  }

  it('[DUR-5] loses its oldest conversations without a look at the events of any other', async () => {
    const { statements } = await asked(async () => {
      const rule = { ...KEEP_ALL, now: (TREES - 2) * DAY, hiddenAge: (TREES - 4) * DAY };
      expect(await journal.retain(rule)).toEqual({ runs: 0, conversations: 2 * CHILDREN });
    });
    expect(await journal.read('run_1')).toHaveLength(EVENTS + 1);
    await expect(journal.read('run_1_0')).rejects.toMatchObject({ code: 'swept' });
    expect(await journal.read('run_2_0')).toHaveLength(EVENTS + 1);
    expect(statements.filter((sql) => sql.startsWith('delete from events '))).toHaveLength(2 * CHILDREN);
    expectSearches(plansOfChanges(statements));
  });

  it('[DUR-5] loses its oldest tree without a look at the events of any other', async () => {
    const before = await journal.usage();
    const { statements } = await asked(() =>
      journal.retain({ ...KEEP_ALL, now: (TREES - 2) * DAY, age: (TREES - 3) * DAY }),
    );
    expect(await journal.record('run_0')).toBeNull();
    expect(await journal.record('run_1')).not.toBeNull();
    expect(statements.filter((sql) => sql.startsWith('delete from events '))).toHaveLength(1 + CHILDREN);
    expectSearches(plansOfChanges(statements));
    const { statements: asking } = await asked(async () => {
      expect(await journal.usage()).toEqual(before.map((sum) => ({ ...sum, deleted: 1 + CHILDREN })));
    });
    // One moment, one row per model and place: nothing is added up outside of the store.
    expect(asking).toHaveLength(4);
    expect(disk.rows).toBe(2);
  });
});
