import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import { isTerminal } from '../../domain/run/status.ts';
import type { ModelUsage, RunFilter } from '../../ports/journal.ts';
import { decodeEvent, decodeRecord, type EncodedEntry, type EventRow, type RecordRow } from '../shared/encode.ts';
import { conflict, swept } from '../shared/faults.ts';
import type { TreeAtRest } from '../shared/retention.ts';
import { FOLDED_RUNS, problemOf } from '../shared/soundness.ts';
import { UsageSums } from '../shared/usage-sums.ts';

interface StoredRun {
  /** Null: swept. */
  rows: EventRow[] | null;
  record: RecordRow;
}

/** Runs in order of creation, kept as text, so that nobody shares an object with the journal. */
export class Runs {
  readonly #runs = new Map<string, StoredRun>();
  readonly #ofDeleted = new UsageSums();

  /** All entries or none: throws `conflict` before anything has changed. */
  append(entries: readonly EncodedEntry[]): void {
    const last = new Map<string, number>();
    for (const { run_id, before, rows } of entries) {
      const stored = this.#runs.get(run_id);
      if (stored?.rows === null) throw conflict(run_id);
      const seq = last.get(run_id) ?? stored?.rows.length ?? 0;
      if ((before ?? seq) !== seq || (seq === 0 && rows.length === 0)) throw conflict(run_id);
      if (rows.some((row, index) => row.seq !== seq + index + 1)) throw conflict(run_id);
      last.set(run_id, seq + rows.length);
    }
    for (const { run_id, rows, record } of entries) {
      const run = this.#runs.get(run_id);
      if (!run) {
        this.#runs.set(run_id, { rows: [...rows], record });
        continue;
      }
      for (const row of rows) run.rows?.push(row);
      run.record = record;
    }
  }

  read(runId: string, after: number): readonly RunEvent[] {
    const run = this.#runs.get(runId);
    if (!run) return [];
    if (!run.rows) throw swept(runId);
    const head = { run_id: runId, parent_id: run.record.parent_id };
    return run.rows.slice(after).map((row) => decodeEvent(head, row));
  }

  record(runId: string): RunRecord | null {
    const run = this.#runs.get(runId);
    return run ? decodeRecord(run.record.json) : null;
  }

  records({ root_id, live, since, resumed_from }: RunFilter): readonly RunRecord[] {
    const found: RunRecord[] = [];
    for (const { record } of this.#runs.values()) {
      if (root_id !== undefined && record.root_id !== root_id) continue;
      if (resumed_from !== undefined && record.resumed_from !== resumed_from) continue;
      if (live === true && record.live === 0) continue;
      if (since !== undefined && !(record.live === 1 || record.created_at >= since || (record.ended_at ?? 0) >= since))
        continue;
      found.push(decodeRecord(record.json));
    }
    return found;
  }

  /** As if the tree had never been. */
  discard(rootId: string): void {
    for (const [runId] of this.#tree(rootId)) this.#runs.delete(runId);
  }

  /** The tree goes, and what it has used stays. Returns how many runs are gone. */
  delete(rootId: string): number {
    const tree = this.#tree(rootId);
    for (const [, run] of tree) this.#ofDeleted.add(usageOf(run, 1));
    this.discard(rootId);
    return tree.length;
  }

  /** The conversations of the tree's helpers go. Returns how many. */
  sweep(rootId: string): number {
    const helpers = this.#tree(rootId).filter(([, run]) => isUnsweptHelper(run));
    for (const [, run] of helpers) run.rows = null;
    return helpers.length;
  }

  treesAtRest(): readonly TreeAtRest[] {
    const trees = new Map<string, TreeAtRest & { readonly resting: boolean }>();
    for (const [runId, run] of this.#runs) {
      const { root_id, state, ended_at } = run.record;
      const tree = trees.get(root_id);
      // A helper that was interrupted under a root that is over has been answered for.
      const resting = isTerminal(state) || (state === 'interrupted' && runId !== root_id);
      trees.set(root_id, {
        root_id,
        runs: (tree?.runs ?? 0) + 1,
        ended_at: Math.max(tree?.ended_at ?? 0, ended_at ?? 0),
        conversations: (tree?.conversations ?? 0) + (isUnsweptHelper(run) ? 1 : 0),
        resting: resting && (tree?.resting ?? true),
      });
    }
    return [...trees.values()].filter((tree) => tree.resting);
  }

  usage(): readonly ModelUsage[] {
    const sums = new UsageSums();
    for (const sum of this.#ofDeleted.all()) sums.add(sum);
    for (const run of this.#runs.values()) sums.add(usageOf(run, 0));
    return sums.all();
  }

  /** Problems of the latest runs, one sentence each. */
  check(): readonly string[] {
    const latest = [...this.#runs].slice(-FOLDED_RUNS).filter(([, { rows }]) => rows !== null);
    return latest.flatMap(([runId, { record }]) => problemOf(decodeRecord(record.json), this.read(runId, 0)) ?? []);
  }

  #tree(rootId: string): readonly [string, StoredRun][] {
    return [...this.#runs].filter(([, { record }]) => record.root_id === rootId);
  }
}

function isUnsweptHelper({ rows, record }: StoredRun): boolean {
  return rows !== null && record.parent_id !== null;
}

function usageOf({ record }: StoredRun, deleted: 0 | 1): ModelUsage {
  const { model, usage } = decodeRecord(record.json);
  return { model, runs: 1, deleted, usage };
}
