import type { RunRecord } from '../../domain/run/record.ts';
import type { Journal, JournalEntry, RetentionRule } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';

const NEVER = Number.MAX_SAFE_INTEGER;

/** Rules of which nothing goes, and all that is at rest. */
export const KEEP_ALL: RetentionRule = { now: NEVER, age: NEVER, hiddenAge: NEVER, keep: NEVER };
export const KEEP_NONE: RetentionRule = { ...KEEP_ALL, keep: 0 };

export interface TreeOptions {
  /** Of the first event of each run, in ms since the epoch. Default 1,000. */
  readonly at?: number;
  /** Default: none. */
  readonly children?: number;
  readonly opening?: string;
  /** What the tool of each run says. */
  readonly output?: string;
}

/** Records a tree of `1 + children` runs of one step that all completed, 6 ms after `at`; the root first. */
export async function endedTree(
  journal: Journal,
  run_id: string,
  { at = 1_000, children = 0, opening = 'Count.', output }: TreeOptions = {},
): Promise<readonly [root: SampleRun, ...helpers: SampleRun[]]> {
  const parent = new SampleRun({ run_id, at, opening });
  const runs = Array.from(
    { length: children },
    (_, index) => new SampleRun({ run_id: `${run_id}_${index}`, parent, at, opening }),
  );
  await parent.claim(journal);
  await journal.append([parent.create(), parent.start(), ...runs.flatMap((run) => [run.create(), run.start()])]);
  for (const entry of [...runs, parent].flatMap((run) => [...run.step(output), run.settle()])) {
    await journal.append([entry]);
  }
  return [parent, ...runs];
}

/** The entry that interrupts a run by a restart. */
export function interrupt(run: SampleRun): JournalEntry {
  const words = { answer: '', partial: true, message: 'Errand was restarted.', active_ms: 1 };
  return run.next({ type: 'run.settled', state: 'interrupted', reason: 'restart', ending: 1, ...words });
}

/** The entry, of a run that was created with this; each of a run's entries has to be made so. */
export function withSpec(
  entry: JournalEntry,
  spec: { readonly model: string } | { readonly resumed_from: string },
): JournalEntry {
  const events = entry.events.map((event) => (event.type === 'run.created' ? { ...event, ...spec } : event));
  const record: RunRecord = { ...entry.record, ...spec };
  return { ...entry, events, record };
}

export async function idsOf(journal: Journal): Promise<readonly string[]> {
  return (await journal.records()).map((record) => record.run_id);
}
