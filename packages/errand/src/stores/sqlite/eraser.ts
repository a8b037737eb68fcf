import type { DatabaseSync } from './module.ts';

/** Deletes runs with all that belongs to them, inside a transaction that its caller holds. */
export class Eraser {
  readonly #runsOf;
  readonly #statements;

  constructor(database: DatabaseSync) {
    this.#runsOf = database.prepare('select run_id from runs where root_id = ?');
    this.#statements = [
      `delete from blobs where pinned = 0
         and address in (select address from event_texts where run_id = :run)
         and not exists (select 1 from event_texts where address = blobs.address and run_id <> :run)`,
      'delete from event_texts where run_id = :run',
      'delete from events where run_id = :run',
      'delete from runs where run_id = :run',
    ].map((sql) => database.prepare(sql));
  }

  eraseTree(rootId: string): void {
    for (const { run_id } of this.#runsOf.all(rootId)) this.eraseRun(String(run_id));
  }

  eraseRun(runId: string): void {
    for (const statement of this.#statements) statement.run({ run: runId });
  }
}
