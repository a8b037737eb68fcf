import { EXIT } from '../app/exit-codes.ts';
import type { Runtime } from '../app/face.ts';
import { unlessSwept } from '../app/store-fault.ts';
import type { RunEvent } from '../domain/run/event.ts';
import type { RunRecord } from '../domain/run/record.ts';
import { printable } from '../terminal/text.ts';
import { stateInWords } from '../terminal/words.ts';
import { Failure } from './around/failure.ts';

/** Runs that are listed in an error. */
const LISTED = 10;

/** The run with this id; else the one whose id begins so or whose title is this. Several: an error that lists them. Source: RUN-5. */
export async function findRun(runtime: Pick<Runtime, 'records'>, text: string): Promise<RunRecord> {
  const wanted = text.trim();
  const records = await runtime.records();
  const exact = records.find(({ run_id }) => run_id === wanted);
  if (exact) return exact;
  const fitting = records.filter(({ run_id, title }) => wanted !== '' && (begins(run_id, wanted) || title === wanted));
  const [only] = fitting;
  if (only && fitting.length === 1) return only;
  if (fitting.length === 0) {
    throw new Failure(EXIT.usage, `there is no run "${printable(wanted)}": errand ps --all lists them.`);
  }
  const listed = fitting.slice(-LISTED).map((run) => `${run.run_id} ("${printable(run.title)}", ${stateInWords(run)})`);
  const more = fitting.length > LISTED ? ` and ${fitting.length - LISTED} more` : '';
  throw new Failure(
    EXIT.usage,
    `"${printable(wanted)}" fits ${fitting.length} runs: ${listed.join(', ')}${more}; give one of the ids.`,
  );
}

/** The part before `_` may be left out. */
function begins(runId: string, text: string): boolean {
  return runId.startsWith(text) || runId.slice(runId.indexOf('_') + 1).startsWith(text);
}

/** What is read of a run's conversation; a Failure where it is no longer kept. */
export function ofConversation<Value>(run: RunRecord, read: Promise<Value>): Promise<Value> {
  return unlessSwept(read, (error) => {
    throw noLongerKept(run, error);
  });
}

/** The events of a run; a Failure where its conversation is no longer kept, or the run was deleted since it was found. */
export async function eventsOf(runtime: Pick<Runtime, 'events'>, run: RunRecord): Promise<readonly RunEvent[]> {
  const events = await ofConversation(run, runtime.events(run.run_id));
  if (events.length === 0) throw gone(run);
  return events;
}

/** That a run was deleted since it was found. */
export function gone({ run_id }: RunRecord): Failure {
  return new Failure(EXIT.usage, `there is no run ${run_id} any more.`);
}

/** That the conversation of a run was asked for and is no longer kept, with what still is. */
export function noLongerKept({ run_id, title }: RunRecord, cause?: unknown): Failure {
  const what = `the conversation of ${run_id} "${printable(title)}" is no longer kept (retention.hidden_days)`;
  return new Failure(EXIT.usage, `${what}; what there still is of it: errand show ${run_id}.`, cause);
}

/** The run and everything below it, out of its tree's records, which hold parents before children. */
export function branchOf(runId: string, records: readonly RunRecord[]): RunRecord[] {
  const known = new Set<string>();
  return records.filter(({ run_id, parent_id }) => {
    const ours = run_id === runId || (parent_id !== null && known.has(parent_id));
    if (ours) known.add(run_id);
    return ours;
  });
}
