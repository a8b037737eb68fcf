import type { Clock } from '../base/clock.ts';
import type { Journal } from '../ports/journal.ts';
import type { RunHandle, Runtime } from '../ports/runtime.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** How long, and how many, records of what has ended are kept. Source: SPEC table A. */
export interface Retention {
  readonly days: number;
  /** Of the conversations of helpers; not more than `days`. */
  readonly hidden_days: number;
  readonly runs: number;
}

export const DEFAULT_RETENTION: Retention = { days: 7, hidden_days: 1, runs: 10_000 };

export interface TidyOptions {
  readonly journal: Pick<Journal, 'retain'>;
  readonly retention: Retention;
  readonly clock: Clock;
}

/**
 * The runtime over a journal from which what is due is deleted: at once, and when a run has ended an hour or longer after
 * the last time. Nothing waits for that, and its faults are nobody's.
 */
export function tidied(runtime: Runtime, { journal, retention, clock }: TidyOptions): Runtime {
  const { days, hidden_days, runs } = retention;
  let last = 0;
  const tidy = () => {
    last = clock.monotonic();
    const rule = { now: clock.now(), age: days * DAY, hiddenAge: hidden_days * DAY, keep: runs };
    journal.retain(rule).catch(() => {});
  };
  const tidyIfDue = () => {
    if (clock.monotonic() - last >= HOUR) tidy();
  };
  const watch = <Answer extends { readonly ok: true; readonly value: RunHandle } | { readonly ok: false }>(
    answer: Answer,
  ): Answer => {
    if (answer.ok) answer.value.result.then(tidyIfDue, tidyIfDue);
    return answer;
  };
  tidy();
  return {
    ...runtime,
    start: async (request) => watch(await runtime.start(request)),
    resume: async (request) => watch(await runtime.resume(request)),
    fork: async (request) => watch(await runtime.fork(request)),
  };
}
