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

/** What is kept where nobody says otherwise. Source: SPEC table A. */
export const DEFAULT_RETENTION: Retention = { days: 7, hidden_days: 1, runs: 10_000 };

/** Least and most of each; whole numbers. */
export const RETENTION_BOUNDS: Readonly<Record<keyof Retention, { readonly least: number; readonly most: number }>> = {
  days: { least: 1, most: 36_500 },
  hidden_days: { least: 1, most: 36_500 },
  runs: { least: 1, most: 10_000_000 },
};

/** With the defaults for what is left out. */
export function retentionFrom(given: { readonly [Name in keyof Retention]?: number | undefined }): Retention {
  const { days, hidden_days, runs } = DEFAULT_RETENTION;
  return { days: given.days ?? days, hidden_days: given.hidden_days ?? hidden_days, runs: given.runs ?? runs };
}

/** What two settings have against each other, in a sentence; null: nothing. The defaults never have, whichever is left out. */
export function clashOfRetention({ days, hidden_days }: Retention): string | null {
  if (hidden_days <= days) return null;
  return `retention.hidden_days (${hidden_days}) must not be greater than retention.days (${days}): the conversations of helpers go with their runs.`;
}

export interface TidyOptions {
  readonly journal: Pick<Journal, 'retain'>;
  readonly retention: Retention;
  readonly clock: Clock;
}

/**
 * The runtime over a journal from which what is due is deleted: once the first run has been set going, and when a run has
 * ended an hour or longer after the last time; not begun while somebody waits to be answered, who may have asked to go on
 * with a run that is due. Nothing waits for it, and its faults are nobody's.
 */
export function tidied(runtime: Runtime, { journal, retention, clock }: TidyOptions): Runtime {
  const { days, hidden_days, runs } = retention;
  let last: number | null = null;
  let asking = 0;
  const tidy = () => {
    if (asking > 0) return;
    last = clock.monotonic();
    const rule = { now: clock.now(), age: days * DAY, hiddenAge: hidden_days * DAY, keep: runs };
    journal.retain(rule).catch(() => {});
  };
  const tidyIfDue = () => {
    if (last === null || clock.monotonic() - last >= HOUR) tidy();
  };
  const watch = async <Answer extends { readonly ok: true; readonly value: RunHandle } | { readonly ok: false }>(
    asked: Promise<Answer>,
  ): Promise<Answer> => {
    asking++;
    const answer = await asked.finally(() => asking--);
    if (answer.ok) {
      if (last === null) tidy();
      answer.value.result.then(tidyIfDue, tidyIfDue);
    }
    return answer;
  };
  return {
    ...runtime,
    start: (request) => watch(runtime.start(request)),
    resume: (request) => watch(runtime.resume(request)),
    fork: (request) => watch(runtime.fork(request)),
  };
}
