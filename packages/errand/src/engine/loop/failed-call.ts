import { backoffDelay } from '../../base/backoff.ts';
import type { Fault } from '../../domain/run/event.ts';
import { RETRY_JITTER } from '../../domain/run/limits.ts';
import type { RunState } from '../../domain/run/state.ts';
import { UNKNOWN_USAGE } from '../../domain/run/usage.ts';
import type { ModelFault } from '../../ports/model.ts';
import { pause } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';

export interface FailedCall {
  /** What had been written before it broke. */
  readonly text: string;
  /** Room can be made in the transcript, and the call then made again at once. */
  readonly makesRoom: boolean;
}

/**
 * Records a model call that failed, and waits until the next attempt is due.
 * Returns how the run ends where there is none; null when it goes on, or is being stopped.
 */
export async function afterFailedCall(
  run: LiveRun,
  outcome: ModelFault,
  { text, makesRoom }: FailedCall,
): Promise<StopReason | null> {
  const { clock, limits, random } = run.services;
  const { state } = run;
  const stopped = run.scope.reason !== undefined;
  const fault: Fault = stopped
    ? { code: 'stopped', message: 'The run was stopped during this call.', retryable: false }
    : outcome.fault;
  const attempt = state.failures + 1;
  const retry = fault.retryable && attempt <= limits.retries;
  const options = { first: limits.retry_first_ms, longest: limits.retry_longest_ms, jitter: RETRY_JITTER };
  const asked = Math.min(outcome.retryAfterMs ?? 0, limits.retry_after_longest_ms);
  const delay = makesRoom ? 0 : retry ? Math.max(asked, backoffDelay(options, attempt, random)) : null;
  run.record({
    type: 'model.failed',
    step: state.steps + 1,
    attempt,
    fault,
    text,
    usage: outcome.usage ?? UNKNOWN_USAGE,
    retry_in_ms: delay,
    active_ms: run.active.elapsed(),
  });
  if (stopped || makesRoom) return null;
  if (delay === null) return endingOf(fault, state);
  run.record({ type: 'run.waiting', on: 'retry' });
  if (await pause(clock, delay, run.scope.signal)) run.record({ type: 'run.running' });
  return null;
}

function endingOf(fault: Fault, run: RunState): StopReason {
  // One that goes on is not lost to a wrong key: until a call of it has finished, it is at rest again.
  if (fault.retryable || (isUnusable(fault) && run.stepsWhenResumed === run.steps))
    return { state: 'interrupted', reason: 'provider' };
  if (fault.code === 'context_overflow') return { state: 'interrupted', reason: 'context' };
  return {
    state: 'failed',
    reason: fault.code === 'internal' || fault.code === 'stopped' ? 'internal' : 'provider_refused',
  };
}

/** The key or the model is not one that this provider takes. */
export function isUnusable({ code }: Fault): boolean {
  return code === 'refused_key' || code === 'unknown_model';
}
