import type { Retained, RetentionRule } from '../../ports/journal.ts';
import { type DueTrees, dueTrees, type TreeAtRest } from '../shared/retention.ts';
import { Eraser } from './eraser.ts';
import type { Leases } from './leases.ts';
import type { DatabaseSync } from './module.ts';
import type { Records } from './records.ts';
import type { RunWriter } from './run-writer.ts';
import type { UsageTotals } from './usage.ts';
import type { WriteQueue } from './write-queue.ts';

/** About so many events are deleted in one transaction; at least one run. */
const EVENTS_AT_ONCE = 1_000;

/** Of the runs of one tree: whether none lives, and the root is not interrupted. */
const AT_REST = "max(live) = 0 and sum(state = 'interrupted' and run_id = root_id) = 0";
/** A helper whose conversation is still there. */
const UNSWEPT_HELPER = 'parent_id is not null and swept = 0';

interface Part {
  readonly run_id: string;
  readonly seq: number;
}

export interface RetentionOptions {
  readonly database: DatabaseSync;
  readonly queue: WriteQueue;
  readonly writer: RunWriter;
  readonly leases: Leases;
  readonly records: Records;
  readonly usage: UsageTotals;
}

/** Deletes old trees, and conversations of helpers, in small steps between other writes. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #eraser: Eraser;
  readonly #treesAtRest;
  readonly #resting;
  readonly #runsOf;
  readonly #unsweptOf;

  constructor(options: RetentionOptions) {
    const { database } = options;
    this.#options = options;
    this.#eraser = new Eraser(database);
    this.#treesAtRest = database.prepare(
      `select root_id, count(*) as runs, coalesce(max(ended_at), 0) as ended_at, sum(${UNSWEPT_HELPER}) as conversations
       from runs group by root_id having ${AT_REST}`,
    );
    this.#resting = database.prepare(
      `select ${AT_REST} and coalesce(max(ended_at), 0) <= ? as resting from runs where root_id = ?`,
    );
    // Children before their parents, so that what is left at any moment is a tree.
    this.#runsOf = database.prepare('select run_id, seq from runs where root_id = ? order by number desc limit ?');
    this.#unsweptOf = database.prepare(
      `select run_id, seq from runs where root_id = ? and ${UNSWEPT_HELPER} order by number desc limit ?`,
    );
  }

  due(rule: RetentionRule): DueTrees {
    return dueTrees(this.#treesAtRest.all() as unknown as TreeAtRest[], rule);
  }

  async apply({ outdated, hidden }: DueTrees): Promise<Retained> {
    let runs = 0;
    let conversations = 0;
    for (const tree of outdated) runs += await this.#inParts(() => this.#deletePart(tree));
    for (const tree of hidden) conversations += await this.#inParts(() => this.#sweepPart(tree));
    return { runs, conversations };
  }

  /** A transaction each, until one has found nothing to do. */
  async #inParts(part: () => number): Promise<number> {
    for (let all = 0; ; ) {
      const count = await this.#options.queue.run(part, []);
      if (count === 0) return all;
      all += count;
    }
  }

  /** Inside a transaction. Returns 0 when there is nothing left, or the tree has come to life again. */
  #deletePart(tree: TreeAtRest): number {
    const { leases, records, usage } = this.#options;
    const resting = this.#isResting(tree);
    if (resting === null) leases.forget(tree.root_id);
    if (!resting) return 0;
    const runs = partOf(this.#runsOf.all(tree.root_id, EVENTS_AT_ONCE) as unknown as Part[]);
    for (const runId of runs) {
      records.mend(runId);
      usage.add(runId);
      this.#eraser.eraseRun(runId);
    }
    return runs.length;
  }

  /** As `#deletePart`. */
  #sweepPart(tree: TreeAtRest): number {
    if (!this.#isResting(tree)) return 0;
    const runs = partOf(this.#unsweptOf.all(tree.root_id, EVENTS_AT_ONCE) as unknown as Part[]);
    for (const runId of runs) {
      // Afterwards there is nothing left to make the row from.
      this.#options.records.mend(runId);
      this.#eraser.sweepRun(runId);
    }
    return runs.length;
  }

  /** Whether the tree is at rest, and no run of it has ended since it was looked at; null: it is gone. */
  #isResting({ root_id, ended_at }: TreeAtRest): boolean | null {
    // What was appended in the same transaction counts.
    this.#options.writer.finish();
    const resting = this.#resting.get(ended_at, root_id)?.resting;
    return resting === null ? null : resting === 1;
  }
}

/** The first of these runs: as many as make a transaction. */
function partOf(runs: readonly Part[]): readonly string[] {
  let events = 0;
  const part: string[] = [];
  for (const { run_id, seq } of runs) {
    events += seq;
    if (part.length > 0 && events > EVENTS_AT_ONCE) break;
    part.push(run_id);
  }
  return part;
}
