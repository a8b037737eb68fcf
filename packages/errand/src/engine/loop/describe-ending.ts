import type { RunState } from '../../domain/run/state.ts';
import type { Ending, Reason } from '../../domain/run/status.ts';

/** In words, for a person: what ended a run. */
export function describeEnding(run: RunState, ending: Ending): string {
  if (ending.reason === null) return 'completed';
  const detail = run.fault && DETAILED.has(ending.reason) ? ` ${run.fault.message}` : '';
  return WORDS[ending.reason](run) + detail;
}

const DETAILED: ReadonlySet<Reason> = new Set(['provider_refused', 'provider', 'context', 'internal']);

const WORDS: Readonly<Record<Reason, (run: RunState) => string>> = {
  empty_answer: () => 'The model stopped without writing an answer.',
  output_limit: () => "The answer was cut by the model's output limit.",
  schema: () => 'The answer did not fit the schema that was asked for.',
  provider_refused: () => 'The provider refused the call.',
  internal: () => 'Something inside Errand broke.',
  user: () => 'Stopped on request.',
  parent: () => 'Stopped, because the run that asked for it was stopped.',
  session_end: () => 'Stopped, because its session ended.',
  signal: () => 'Stopped by a signal.',
  steps: (run) => `Reached its limit of ${counted(run.limits.steps, 'step')}.`,
  tool_calls: (run) => `Reached its limit of ${counted(run.limits.tool_calls, 'tool call')}.`,
  wall: (run) => `Reached its time limit of ${(run.limits.wall_ms ?? 0) / 1000} s.`,
  budget: () => 'Its budget is used up.',
  context: () => "The model's context window is full.",
  stalled: () => 'Showed no sign of life.',
  provider: (run) =>
    run.failures > 1 ? `The provider failed ${run.failures} times in a row.` : 'The provider failed.',
  restart: () => 'Errand was ended while it ran.',
};

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
