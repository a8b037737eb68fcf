import type { RunRecord } from '../../domain/run/record.ts';
import type { RunFilter, UnreadableRun } from '../../ports/journal.ts';
import { decodeRecord, RELIED_ON } from '../shared/encode.ts';
import { corruptRun } from '../shared/faults.ts';
import { recordFrom } from '../shared/soundness.ts';
import { isFailure, journalErrorOf } from './errors.ts';
import type { DatabaseSync } from './module.ts';
import type { Reader } from './reader.ts';

const CONDITIONS = [
  "json_extract(record, '$.run_id') is run_id",
  ...RELIED_ON.texts.map((name) => `json_type(record, '$.${name}') is 'text'`),
  ...RELIED_ON.lists.map((name) => `json_type(record, '$.${name}') is 'array'`),
  ...RELIED_ON.counts.map((name) => `json_type(record, '$.usage.${name}') in ('integer', 'real')`),
];
/** In SQL, whether the record of a row of `runs` can be read: what `decodeRow` says of it. */
export const READABLE = `case when json_valid(record) then coalesce(${CONDITIONS.join(' and ')}, 0) else 0 end`;

export interface Row {
  readonly run_id: string;
  readonly record: string;
}

/** Throws when the text is broken, or is about another run. */
export function decodeRow({ run_id, record }: Row): RunRecord {
  const decoded = decodeRecord(record);
  if (decoded.run_id !== run_id) throw new Error('the row is about another run');
  return decoded;
}

/** Rows of runs. One that is damaged is made again from the run's events. */
export class Records {
  readonly #database: DatabaseSync;
  readonly #reader: Reader;
  readonly #select;
  readonly #selectDamaged;
  readonly #selectTree;
  readonly #update;

  constructor(database: DatabaseSync, reader: Reader) {
    this.#database = database;
    this.#reader = reader;
    this.#select = database.prepare('select run_id, record from runs where run_id = ?');
    this.#selectDamaged = database.prepare(`select run_id from runs where run_id = ? and not ${READABLE}`);
    this.#selectTree = database.prepare(
      'select run_id, parent_id, call_id, resumed_from, record from runs where root_id = ? order by number',
    );
    this.#update = database.prepare('update runs set record = ? where run_id = ?');
  }

  /** Throws `corrupt` when neither the row nor the events can be read. */
  record(runId: string): RunRecord | null {
    const row = this.#select.get(runId) as unknown as Row | undefined;
    return row ? this.#decoded(row) : null;
  }

  /** Leaves out what cannot be read: `unreadable` names it, `record` says what is wrong with one. */
  records({ root_id, live, since, resumed_from }: RunFilter): readonly RunRecord[] {
    const conditions: string[] = ['true'];
    const values: (string | number)[] = [];
    if (root_id !== undefined) {
      conditions.push('root_id = ?');
      values.push(root_id);
    }
    if (resumed_from !== undefined) {
      conditions.push('resumed_from = ?');
      values.push(resumed_from);
    }
    if (live === true) conditions.push('live = 1');
    if (since !== undefined) {
      // As a list of keys: asked with `or`, SQLite reads the whole table in order of `number` instead of three indexes.
      conditions.push(`number in (
        select number from runs where live = 1
        union all select number from runs where created_at >= ?
        union all select number from runs where ended_at >= ?
      )`);
      values.push(since, since);
    }
    const sql = `select run_id, record from runs where ${conditions.join(' and ')} order by number`;
    const rows = this.#database.prepare(sql).all(...values) as unknown as Row[];
    return rows.flatMap((row) => orNothing(() => this.#decoded(row)));
  }

  /** What `records` leaves out of a tree, as far as the columns tell of it. */
  unreadable(rootId: string): readonly UnreadableRun[] {
    const rows = this.#selectTree.all(rootId) as unknown as (Row & UnreadableRun)[];
    return rows
      .filter((row) => orNothing(() => this.#decoded(row)).length === 0)
      .map(({ run_id, parent_id, call_id, resumed_from }) => ({ run_id, parent_id, call_id, resumed_from }));
  }

  /** Writes the row of a run again where it is damaged and its events are not. Inside a transaction. */
  mend(runId: string): void {
    if (!this.#selectDamaged.get(runId)) return;
    for (const record of this.madeAgain(runId)) this.#update.run(JSON.stringify(record), runId);
  }

  /** What the run's events add up to; empty when they cannot be read. */
  madeAgain(runId: string): readonly RunRecord[] {
    return orNothing(() => this.#made(runId));
  }

  #decoded(row: Row): RunRecord {
    try {
      return decodeRow(row);
    } catch {
      return this.#made(row.run_id);
    }
  }

  #made(runId: string): RunRecord {
    try {
      return recordFrom(this.#reader.read(runId, 0));
    } catch (error) {
      throw isFailure(error) ? error : corruptRun(runId, error);
    }
  }
}

/** What is damaged is nothing; a store that fails is no damage. */
function orNothing(read: () => RunRecord): readonly RunRecord[] {
  try {
    return [read()];
  } catch (error) {
    if (journalErrorOf(error, '').code === 'corrupt') return [];
    throw error;
  }
}
