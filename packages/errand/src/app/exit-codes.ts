import type { RunResult } from '../domain/run/result.ts';
import type { RunStateName } from '../domain/run/status.ts';
import type { ResumeRefusal, StartRefusal } from '../ports/runtime.ts';

/** Exit codes of `errand run` (SPEC table D). */
export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  interrupted: 3,
  unusable: 4,
  cancelled: 5,
} as const;

/** Signals that end a run, and the code of each. */
export const SIGNAL_EXITS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type EndSignal = keyof typeof SIGNAL_EXITS;

const BY_STATE: Readonly<Record<RunStateName, number>> = {
  completed: EXIT.completed,
  failed: EXIT.failed,
  cancelled: EXIT.cancelled,
  interrupted: EXIT.interrupted,
  // Not an ending: a tree that is not at rest has no result to be proud of.
  queued: EXIT.failed,
  running: EXIT.failed,
  waiting: EXIT.failed,
};

const BY_REFUSAL: Readonly<Record<StartRefusal['code'] | ResumeRefusal['code'], number>> = {
  no_task: EXIT.usage,
  task_too_long: EXIT.usage,
  no_folder: EXIT.usage,
  not_found: EXIT.usage,
  running: EXIT.usage,
  no_model: EXIT.unusable,
  refused_key: EXIT.unusable,
  unknown_model: EXIT.unusable,
  full: EXIT.unusable,
};

/** The code of an ended root run; `signal`: the one that this process was sent, if any. */
export function exitOfResult(result: Pick<RunResult, 'state' | 'reason'>, signal: EndSignal | null = null): number {
  if (result.state === 'cancelled' && result.reason === 'signal') return SIGNAL_EXITS[signal ?? 'SIGINT'];
  return BY_STATE[result.state];
}

export function exitOfRefusal(refusal: StartRefusal | ResumeRefusal): number {
  return BY_REFUSAL[refusal.code];
}

/** From what is well to what is worst. */
const BY_SEVERITY: readonly number[] = [
  EXIT.completed,
  EXIT.interrupted,
  EXIT.cancelled,
  EXIT.unusable,
  EXIT.failed,
  ...Object.values(SIGNAL_EXITS),
];

/** The code of several runs together: that of the one which ended worst. */
export function worstExit(codes: readonly number[]): number {
  return codes.reduce(
    (worst, code) => (BY_SEVERITY.indexOf(code) > BY_SEVERITY.indexOf(worst) ? code : worst),
    EXIT.completed,
  );
}
