import type { RunRecord } from '../../domain/run/record.ts';
import { isEnded } from '../../domain/run/status.ts';
import { elapsed, taken } from '../../terminal/words.ts';

/** Milliseconds since a run began: until now, or until it ended. What its process left behind ends with its work. */
export function durationOf({ state, created_at, started_at, ended_at, active_ms }: RunRecord, now: number): number {
  if (ended_at === null && isEnded(state)) return active_ms;
  return (ended_at ?? now) - (started_at ?? created_at);
}

/** The same in words. */
export function timeOf(record: RunRecord, now: number): string {
  const duration = durationOf(record, now);
  return isEnded(record.state) ? taken(duration) : elapsed(duration);
}
