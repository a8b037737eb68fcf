import type { RetentionRule } from '../../ports/journal.ts';
import { type EndedTree, outdatedTrees } from '../shared/retention.ts';
import { Eraser } from './eraser.ts';
import type { Leases } from './leases.ts';
import type { DatabaseSync } from './module.ts';
import type { WriteQueue } from './write-queue.ts';

/** About so many events are deleted in one transaction; at least one run. */
const EVENTS_AT_ONCE = 1_000;

const USAGE = ['input', 'cached', 'output', 'reasoning', 'unknown_calls'];

export interface RetentionOptions {
  readonly database: DatabaseSync;
  readonly queue: WriteQueue;
  readonly leases: Leases;
}

/** Deletes old trees in small steps between other writes, and keeps what they have used. */
export class Retention {
  readonly #queue: WriteQueue;
  readonly #leases: Leases;
  readonly #eraser: Eraser;
  readonly #endedTrees;
  readonly #runsOf;
  readonly #resting;
  readonly #addUsage;

  constructor({ database, queue, leases }: RetentionOptions) {
    this.#queue = queue;
    this.#leases = leases;
    this.#eraser = new Eraser(database);
    this.#endedTrees = database.prepare(
      `select root_id, count(*) as runs, max(ended_at) as ended_at from runs group by root_id
       having max(live) = 0 and sum(state = 'interrupted' and run_id = root_id) = 0`,
    );
    // Children before their parents, so that what is left at any moment is a tree.
    this.#runsOf = database.prepare('select run_id, seq from runs where root_id = ? order by number desc limit ?');
    this.#resting = database.prepare(
      "select max(live) = 0 and sum(state = 'interrupted' and run_id = root_id) = 0 as resting from runs where root_id = ?",
    );
    const sums = USAGE.map((name) => `cast(coalesce(json_extract(record, '$.usage.${name}'), 0) as integer)`);
    const updates = USAGE.map((name) => `${name} = ${name} + excluded.${name}`);
    this.#addUsage = database.prepare(
      `insert into usage_totals (model, runs, ${USAGE.join(', ')})
       select coalesce(json_extract(record, '$.model'), ''), 1, ${sums.join(', ')}
       from runs where run_id = ? and json_valid(record)
       on conflict (model) do update set runs = runs + 1, ${updates.join(', ')}`,
    );
  }

  /** Returns the number of runs deleted. */
  async apply(rule: RetentionRule): Promise<number> {
    let deleted = 0;
    const trees = this.#endedTrees.all() as unknown as EndedTree[];
    for (const { root_id } of outdatedTrees(trees, rule)) deleted += await this.#deleteTree(root_id);
    return deleted;
  }

  async #deleteTree(rootId: string): Promise<number> {
    for (let deleted = 0; ; ) {
      const part = await this.#queue.run(() => this.#deletePart(rootId), []);
      if (part === 0) return deleted;
      deleted += part;
    }
  }

  /** Inside a transaction. Returns 0 when there is nothing left, or the tree has come to life again. */
  #deletePart(rootId: string): number {
    const resting = this.#resting.get(rootId)?.resting;
    if (resting === null) this.#leases.forget(rootId);
    if (resting !== 1) return 0;
    let events = 0;
    let runs = 0;
    const last = this.#runsOf.all(rootId, EVENTS_AT_ONCE) as unknown as { run_id: string; seq: number }[];
    for (const { run_id, seq } of last) {
      events += seq;
      if (runs > 0 && events > EVENTS_AT_ONCE) break;
      this.#addUsage.run(run_id);
      this.#eraser.eraseRun(run_id);
      runs++;
    }
    return runs;
  }
}
