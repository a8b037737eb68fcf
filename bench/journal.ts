// `node bench/journal.ts`: what recording a step costs in SQLite, beside the same in memory, in one run; and how long it
// takes to read all runs that were under way back after a restart.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSystemClock } from '../packages/errand/src/host/clock.ts';
import type { Journal, JournalEntry } from '../packages/errand/src/ports/journal.ts';
import { createMemoryJournal } from '../packages/errand/src/stores/memory/journal.ts';
import { openSqliteJournal } from '../packages/errand/src/stores/sqlite/journal.ts';
import { SampleRun } from '../packages/errand/src/testing/sample-run.ts';

export interface JournalBenchOptions {
  /** Helpers at once. Default 1,000. */
  readonly helpers?: number;
  /** Steps of each. Default 3. */
  readonly steps?: number;
  /** The median of so many rounds counts. Default 5. */
  readonly rounds?: number;
}

export interface JournalBenchRow {
  readonly journal: 'memory' | 'sqlite' | 'sqlite, full durability';
  readonly stepsPerSecond: number;
  /** Of the whole process, JSON included. */
  readonly cpuMsPerEvent: number;
  /** Steps per second over those of the memory journal. */
  readonly ratio: number;
  /** Until a journal that is opened anew has given all helpers' rows and events, when all of them were under way. */
  readonly recoveryMs: number;
}

const clock = createSystemClock();
const JOURNALS: Readonly<Record<JournalBenchRow['journal'], (folder: string) => Journal>> = {
  memory: () => createMemoryJournal(),
  sqlite: (folder) => openSqliteJournal({ folder, clock }),
  'sqlite, full durability': (folder) => openSqliteJournal({ folder, clock, durability: 'full' }),
};

/** Each helper waits for each of its appends, as a run does; their entries are made beforehand. */
export async function benchJournal(options: JournalBenchOptions = {}): Promise<readonly JournalBenchRow[]> {
  const { helpers = 1_000, steps = 3, rounds = 5 } = options;
  const names = Object.keys(JOURNALS) as JournalBenchRow['journal'][];
  const measured = new Map(names.map((name) => [name, [] as Measured[]]));
  // The first round warms up. In turn, so that a noisy minute hits all alike.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const recorded = await measure(JOURNALS[name], { helpers, steps });
      const recoveryMs = await measureRecovery(JOURNALS[name], { helpers, steps });
      if (round > 0) measured.get(name)?.push({ ...recorded, recoveryMs });
    }
  }
  const medians = names.map((journal) => ({ journal, ...medianOf(measured.get(journal) ?? []) }));
  const memory = medians[0]?.stepsPerSecond ?? Number.NaN;
  return medians.map((row) => ({ ...row, ratio: row.stepsPerSecond / memory }));
}

export function journalTable(rows: readonly JournalBenchRow[]): string {
  return [
    '| journal | steps/s | to memory | CPU ms/event | recovery ms |',
    '|---|---:|---:|---:|---:|',
    ...rows.map(
      ({ journal, stepsPerSecond, ratio, cpuMsPerEvent, recoveryMs }) =>
        `| ${journal} | ${Math.round(stepsPerSecond)} | ${ratio.toFixed(2)} | ${cpuMsPerEvent.toFixed(4)} | ${recoveryMs.toFixed(1)} |`,
    ),
    '',
  ].join('\n');
}

interface Size {
  readonly helpers: number;
  readonly steps: number;
}

interface Recorded {
  readonly stepsPerSecond: number;
  readonly cpuMsPerEvent: number;
}

interface Measured extends Recorded {
  readonly recoveryMs: number;
}

type Open = (folder: string) => Journal;

async function measure(open: Open, size: Size): Promise<Recorded> {
  return inFolder(async (folder) => {
    const { root, scripts } = turnOf(size);
    const events = scripts.flat().reduce((sum, entry) => sum + entry.events.length, 0);
    const journal = open(folder);
    await begin(journal, root);
    const [cpu, start] = [process.cpuUsage(), performance.now()];
    await Promise.all(scripts.map((entries) => appendInTurn(journal, entries)));
    await journal.close();
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    return {
      stepsPerSecond: (size.helpers * size.steps) / seconds,
      cpuMsPerEvent: (user + system) / 1_000 / events,
    };
  });
}

async function measureRecovery(open: Open, size: Size): Promise<number> {
  return inFolder(async (folder) => {
    const { root, scripts } = turnOf(size);
    const before = open(folder);
    await begin(before, root);
    // None of them gets to its end.
    await Promise.all(scripts.map((entries) => appendInTurn(before, entries.slice(0, -1))));
    const keeps = existsSync(join(folder, 'errand.db'));
    if (keeps) await before.close();
    const start = performance.now();
    const journal = keeps ? open(folder) : before;
    let events = 0;
    for (const { run_id } of await journal.records({ live: true })) events += (await journal.read(run_id)).length;
    const milliseconds = performance.now() - start;
    await journal.close();
    const expected = 2 + size.helpers * (2 + 4 * size.steps);
    if (events !== expected) throw new Error(`${events} of ${expected} events were read back`);
    return milliseconds;
  });
}

async function inFolder<Value>(act: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A root and its helpers, each of which reads a file of 2 KB in each step, then answers. */
function turnOf({ helpers, steps }: Size): { root: SampleRun; scripts: readonly (readonly JournalEntry[])[] } {
  const parent = new SampleRun({ run_id: 'run_root' });
  const opening = 'Find it. '.repeat(150);
  const scripts = Array.from({ length: helpers }, (_, index) => {
    const run = new SampleRun({ run_id: `run_${String(index).padStart(18, '0')}`, parent, opening });
    const entries = [run.create(), run.start()];
    for (let step = 0; step < steps; step++) entries.push(...run.step('one line of text\n'.repeat(120)));
    return [...entries, run.settle('SUMMARY: found it. '.repeat(40))];
  });
  return { root: parent, scripts };
}

async function begin(journal: Journal, root: SampleRun): Promise<void> {
  await root.claim(journal);
  await journal.append([root.create(), root.start()]);
}

async function appendInTurn(journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  for (const entry of entries) await journal.append([entry]);
}

function medianOf(results: readonly Measured[]): Measured {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return {
    stepsPerSecond: middle(results.map((result) => result.stepsPerSecond)),
    cpuMsPerEvent: middle(results.map((result) => result.cpuMsPerEvent)),
    recoveryMs: middle(results.map((result) => result.recoveryMs)),
  };
}

if (import.meta.main) process.stdout.write(journalTable(await benchJournal()));
