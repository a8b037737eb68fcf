import assert from 'node:assert/strict';
import type { Boot, Journal } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';

/** What every adapter of the journal port must do: for `it(title, () => run(journal))`, with a new and empty journal each. */
export interface JournalCase {
  readonly title: string;
  /** Rejects with an AssertionError. Leaves the journal open, or closed where that is the matter. */
  readonly run: (journal: Journal) => Promise<void>;
}

export const BOOT: Boot = {
  boot_id: 'boot_1',
  pid: 4_711,
  process_start: '88421',
  host: 'here',
  started_at: 5,
  beats: 0,
};

export function root(run_id = 'run_a', at = 1_000): SampleRun {
  return new SampleRun({ run_id, at });
}

/** Claims the trees of these runs for the process `boot_sample`. */
export async function claimed(journal: Journal, ...runs: readonly SampleRun[]): Promise<void> {
  await Promise.all(runs.map((run) => run.claim(journal)));
}

export function rejectsWith(code: string, promise: Promise<unknown>): Promise<void> {
  return assert.rejects(promise, (error: { code?: unknown }) => {
    assert.equal(error.code, code);
    return true;
  });
}

/** Fails unless the journal holds exactly what was made of the run. */
export async function expectRecorded(journal: Journal, run: SampleRun): Promise<void> {
  assert.deepEqual(await journal.read(run.run_id), run.events);
}

export const cancel = (run_id: string) => ({ kind: 'cancel', run_id, reason: 'user' }) as const;
