import type { DatabaseSync } from './module.ts';

/** Deletes runs with all that belongs to them, or their events alone, inside a transaction that its caller holds. */
export class Eraser {
  readonly #runsOf;
  readonly #eraseEvents;
  readonly #eraseRow;
  readonly #markSwept;

  constructor(database: DatabaseSync) {
    this.#runsOf = database.prepare('select run_id from runs where root_id = ?');
    this.#eraseEvents = [
      `delete from blobs where pinned = 0
         and address in (select address from event_texts where run_id = :run)
         and not exists (select 1 from event_texts where address = blobs.address and run_id <> :run)`,
      'delete from event_texts where run_id = :run',
      'delete from events where run_id = :run',
    ].map((sql) => database.prepare(sql));
    this.#eraseRow = database.prepare('delete from runs where run_id = :run');
    this.#markSwept = database.prepare('update runs set swept = 1 where run_id = :run');
  }

  eraseTree(rootId: string): void {
    for (const { run_id } of this.#runsOf.all(rootId)) this.eraseRun(String(run_id));
  }

  eraseRun(runId: string): void {
    this.#erase(runId);
    this.#eraseRow.run({ run: runId });
  }

  /** The events go, and the row stays. */
  sweepRun(runId: string): void {
    this.#erase(runId);
    this.#markSwept.run({ run: runId });
  }

  #erase(runId: string): void {
    for (const statement of this.#eraseEvents) statement.run({ run: runId });
  }
}
