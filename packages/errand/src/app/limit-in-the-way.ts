import { apply, fold } from '../domain/run/apply.ts';
import { decide } from '../domain/run/decide.ts';
import type { RunEvent, RunEventBody } from '../domain/run/event.ts';
import type { RunLimits } from '../domain/run/limits.ts';
import type { RunState } from '../domain/run/state.ts';
import { isEnded } from '../domain/run/status.ts';
import { resumption } from '../engine/loop/resumption.ts';
import { plainDuration } from './duration.ts';
import { commandToGoOn, limitOf, raised } from './raises.ts';

/**
 * In one sentence, the bound that would end a run as soon as it goes on, with the command that raises it; null: none would.
 * Pure: tries it on the run's recorded events.
 */
export function limitInTheWay(events: readonly RunEvent[], raises: Partial<RunLimits>): string | null {
  const run = asRecovered(fold(events));
  if (run.state !== 'interrupted') return null;
  const { reason: before, limits: had } = run;
  const limits = raised(had, raises);
  for (const body of resumption(run, run.bootId, limits)) tell(run, body);
  const decision = decide(run, run.activeMs);
  if (decision.next === 'settle')
    return decision.ending.state === 'interrupted' ? sentence(run, decision.ending.reason) : null;
  // Another last report is all that there would be room for.
  const limit = decision.next === 'call' && decision.report === before ? limitOf(before) : null;
  return limit && limits[limit] === had[limit] ? sentence(run, before) : null;
}

/** What an earlier process left at work is put on record as interrupted before it goes on; what queues has nothing in its way. */
function asRecovered(run: RunState): RunState {
  if (isEnded(run.state)) return run;
  const ending = run.endings + 1;
  tell(run, {
    ...{ type: 'run.settled', state: 'interrupted', reason: 'restart', ending },
    ...{ answer: '', partial: false, message: '', active_ms: run.activeMs },
  });
  return run;
}

function tell(run: RunState, body: RunEventBody): void {
  const { run_id, parent_id, seq } = run;
  apply(run, { run_id, parent_id, seq: seq + 1, at: 0, ...body } as RunEvent);
}

function sentence(run: RunState, reason: string | null): string | null {
  const limit = limitOf(reason);
  const bound = limit && run.limits[limit];
  if (!limit || !bound) return null;
  const { run_id, limits } = run;
  const command = commandToGoOn({ run_id, state: 'interrupted', reason }, limits);
  return `${run_id} has used up ${USED_UP[limit](bound)}; to go on with it: ${command}.`;
}

const USED_UP: Readonly<Record<keyof RunLimits, (bound: number) => string>> = {
  steps: (bound) => `the ${counted(bound, 'step')} that it may take`,
  tool_calls: (bound) => `the ${counted(bound, 'tool call')} that it may make`,
  wall_ms: (bound) => `the ${plainDuration(bound)} that it may work`,
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
