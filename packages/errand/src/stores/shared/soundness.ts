import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../base/errors.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import { type RunRecord, recordOf } from '../../domain/run/record.ts';

/** So many runs are folded by a check: the latest. */
export const FOLDED_RUNS = 2_000;

/** The record that a run's events add up to, as it comes back from the store. Throws when they do not follow one another. */
export function recordFrom(events: readonly RunEvent[]): RunRecord {
  return JSON.parse(JSON.stringify(recordOf(fold(events))));
}

/** What is wrong with a run, in a sentence: events that do not follow one another, or a row that they do not add up to; null: nothing. */
export function problemOf(record: RunRecord, events: readonly RunEvent[]): string | null {
  try {
    const made = recordFrom(events);
    if (isDeepStrictEqual(made, record)) return null;
    const names = Object.keys(record) as (keyof RunRecord)[];
    const differing = names.filter((name) => !isDeepStrictEqual(made[name], record[name]));
    return `The row of ${record.run_id} is not what its events add up to (${differing.join(', ') || 'fields are missing'}).`;
  } catch (error) {
    return `The events of ${record.run_id} do not add up to a run: ${messageOf(error)}.`;
  }
}
