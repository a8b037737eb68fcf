import { fail, type Result, succeed } from '../../base/result.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import type { LiveRun } from '../loop/live-run.ts';
import { readKept } from '../supervisor/recover.ts';
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
  const refuse = (why: string) => fail(`"resume_from": ${why}`);
  // Asked first: one that has ended since is on record by the time that the record is read.
  const live = supervisor.findSuccessor(runId);
  const tree = await journal.records({ root_id });
  const target = tree.find((record) => record.run_id === runId);
  if (!target || !isBelow(target, parent.state.run_id, tree))
    return refuse(`there is no helper ${runId} of yours. Use the id that stands in its answer.`);
  if (!isEnded(target.state))
    return refuse(`${runId} is still at work; its answer comes to the call that launched it.`);
  const state = await readKept(journal, runId);
  if (typeof state === 'string') return refuse(gone(runId, state));
  if (live?.state.spec.root_id === root_id) return succeed({ state, successor: live });
  const [next] = live ? [live.state] : await journal.records({ resumed_from: runId });
  if (!next) {
    const lost = (await journal.unreadable(root_id)).find((run) => run.resumed_from === runId);
    return lost ? refuse(gone(lost.run_id, 'damaged')) : succeed({ state, successor: null });
  }
  if (!tree.some((record) => record.run_id === next.run_id))
    return refuse(`${runId} was continued already, by ${next.run_id}, outside of this turn. Launch a new helper.`);
  const successor = await readKept(journal, next.run_id);
  return typeof successor === 'string' ? refuse(gone(next.run_id, successor)) : succeed({ state, successor });
}

function gone(runId: string, how: 'damaged' | 'swept'): string {
  const what = how === 'swept' ? 'is no longer kept' : 'is damaged on disk';
  return `the conversation of ${runId} ${what}. Launch a new helper and tell it what it has to know.`;
}

function isBelow(record: RunRecord, ancestor: string, tree: readonly RunRecord[]): boolean {
  let parentId = record.parent_id;
  while (parentId !== null && parentId !== ancestor) {
    const id: string = parentId;
    parentId = tree.find((row) => row.run_id === id)?.parent_id ?? null;
  }
  return parentId === ancestor;
}
