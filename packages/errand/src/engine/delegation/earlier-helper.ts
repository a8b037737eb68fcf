import { CodedError } from '../../base/errors.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import type { Journal } from '../../ports/journal.ts';
import type { LiveRun } from '../loop/live-run.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** A helper to be continued, and the run that continues it already, where there is one. */
export interface Earlier {
  readonly state: RunState;
  readonly successor: LiveRun | RunState | null;
}

/** The helper that `resume_from` names: at rest, and below the asking run. What is another's and what is not there look the same. */
export async function findEarlier(
  supervisor: Supervisor,
  parent: LiveRun,
  runId: string,
): Promise<Result<Earlier, string>> {
  const { journal } = supervisor.services;
  const { root_id } = parent.state.spec;
  // Asked first: one that has ended since is on record by the time that the record is read.
  const live = supervisor.findSuccessor(runId, root_id);
  const tree = await journal.records({ root_id });
  const target = tree.find((record) => record.run_id === runId);
  if (!target || !isBelow(target, parent.state.run_id, tree)) {
    return fail(`"resume_from": there is no helper ${runId} of yours. Use the id that stands in its answer.`);
  }
  if (!isEnded(target.state))
    return fail(`"resume_from": ${runId} is still at work; its answer comes to the call that launched it.`);
  const state = await readKept(journal, runId);
  if (!state) {
    return fail(
      `"resume_from": the conversation of ${runId} is no longer kept. Launch a new helper and tell it what it has to know.`,
    );
  }
  const ended = live ? undefined : tree.find((record) => record.resumed_from === runId);
  return succeed({ state, successor: live ?? (ended ? fold(await journal.read(ended.run_id)) : null) });
}

/** Null: its events were deleted, as retention says. */
async function readKept(journal: Journal, runId: string): Promise<RunState | null> {
  try {
    return fold(await journal.read(runId));
  } catch (error) {
    if (error instanceof CodedError && error.code === 'swept') return null;
    throw error;
  }
}

function isBelow(record: RunRecord, ancestor: string, tree: readonly RunRecord[]): boolean {
  let parentId = record.parent_id;
  while (parentId !== null && parentId !== ancestor) {
    const id: string = parentId;
    parentId = tree.find((row) => row.run_id === id)?.parent_id ?? null;
  }
  return parentId === ancestor;
}
