// `node bench/journal.ts`: what recording a step costs in SQLite, beside the same in memory, in one run.
import { mkdtempSync, rmSync } from 'node:fs';
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
      const result = await measure(JOURNALS[name], { helpers, steps });
      if (round > 0) measured.get(name)?.push(result);
    }
  }
  const medians = names.map((journal) => ({ journal, ...medianOf(measured.get(journal) ?? []) }));
  const memory = medians[0]?.stepsPerSecond ?? Number.NaN;
  return medians.map((row) => ({ ...row, ratio: row.stepsPerSecond / memory }));
}

export function journalTable(rows: readonly JournalBenchRow[]): string {
  return [
    '| journal | steps/s | to memory | CPU ms/event |',
    '|---|---:|---:|---:|',
    ...rows.map(
      ({ journal, stepsPerSecond, ratio, cpuMsPerEvent }) =>
        `| ${journal} | ${Math.round(stepsPerSecond)} | ${ratio.toFixed(2)} | ${cpuMsPerEvent.toFixed(4)} |`,
    ),
    '',
  ].join('\n');
}

interface Measured {
  readonly stepsPerSecond: number;
  readonly cpuMsPerEvent: number;
}

async function measure(open: (folder: string) => Journal, size: { helpers: number; steps: number }): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-bench-'));
  try {
    const scripts = Array.from({ length: size.helpers }, (_, index) => scriptOf(index, size.steps));
    const events = scripts.flat().reduce((sum, entry) => sum + entry.events.length, 0);
    const journal = open(folder);
    const [cpu, start] = [process.cpuUsage(), performance.now()];
    await Promise.all(scripts.map((entries) => appendInTurn(journal, entries)));
    await journal.close();
    const seconds = (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    return {
      stepsPerSecond: (size.helpers * size.steps) / seconds,
      cpuMsPerEvent: (user + system) / 1_000 / events,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A helper that reads a file of 2 KB in each step, then answers. */
function scriptOf(index: number, steps: number): readonly JournalEntry[] {
  const run = new SampleRun({ run_id: `run_${String(index).padStart(18, '0')}`, opening: 'Find it. '.repeat(150) });
  const entries = [run.create(), run.start()];
  for (let step = 0; step < steps; step++) entries.push(...run.step('one line of text\n'.repeat(120)));
  return [...entries, run.settle('SUMMARY: found it. '.repeat(40))];
}

async function appendInTurn(journal: Journal, entries: readonly JournalEntry[]): Promise<void> {
  // Claimed in the tick of the first append, as a root is.
  const [first] = entries;
  if (first) void journal.claim({ root_id: first.record.root_id, boot_id: 'boot_bench', mayTake: () => false });
  for (const entry of entries) await journal.append([entry]);
}

function medianOf(results: readonly Measured[]): Measured {
  const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
  return {
    stepsPerSecond: middle(results.map((result) => result.stepsPerSecond)),
    cpuMsPerEvent: middle(results.map((result) => result.cpuMsPerEvent)),
  };
}

if (import.meta.main) process.stdout.write(journalTable(await benchJournal()));
