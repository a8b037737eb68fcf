import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import { isTerminal } from '../../domain/run/status.ts';
import type { RetentionRule, RunFilter } from '../../ports/journal.ts';
import { decodeEvent, decodeRecord, type EncodedEntry, type EventRow, type RecordRow } from '../shared/encode.ts';
import { conflict } from '../shared/faults.ts';
import { outdatedTrees } from '../shared/retention.ts';
import { FOLDED_RUNS, problemOf } from '../shared/soundness.ts';

interface StoredRun {
  readonly rows: EventRow[];
  record: RecordRow;
}

/** Runs in order of creation, kept as text, so that nobody shares an object with the journal. */
export class Runs {
  readonly #runs = new Map<string, StoredRun>();

  /** All entries or none: throws `conflict` before anything has changed. */
  append(entries: readonly EncodedEntry[]): void {
    const last = new Map<string, number>();
    for (const { run_id, before, rows } of entries) {
      const seq = last.get(run_id) ?? this.#runs.get(run_id)?.rows.length ?? 0;
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
      for (const row of rows) run.rows.push(row);
      run.record = record;
    }
  }

  read(runId: string, after: number): readonly RunEvent[] {
    const run = this.#runs.get(runId);
    if (!run) return [];
    const head = { run_id: runId, parent_id: run.record.parent_id };
    return run.rows.slice(after).map((row) => decodeEvent(head, row));
  }

  record(runId: string): RunRecord | null {
    const run = this.#runs.get(runId);
    return run ? decodeRecord(run.record.json) : null;
  }

  records({ root_id, live, since }: RunFilter): readonly RunRecord[] {
    const found: RunRecord[] = [];
    for (const { record } of this.#runs.values()) {
      if (root_id !== undefined && record.root_id !== root_id) continue;
      if (live === true && record.live === 0) continue;
      if (since !== undefined && !(record.live === 1 || record.created_at >= since || (record.ended_at ?? 0) >= since))
        continue;
      found.push(decodeRecord(record.json));
    }
    return found;
  }

  /** Returns how many runs are gone. */
  discard(rootId: string): number {
    const before = this.#runs.size;
    for (const [runId, { record }] of this.#runs) if (record.root_id === rootId) this.#runs.delete(runId);
    return before - this.#runs.size;
  }

  /** Roots of the trees that a retention rule lets go, oldest first. */
  outdated(rule: RetentionRule): readonly string[] {
    const trees = new Map<string, { root_id: string; runs: number; ended_at: number; terminal: boolean }>();
    for (const [runId, { record }] of this.#runs) {
      const { root_id } = record;
      const tree = trees.get(root_id) ?? { root_id, runs: 0, ended_at: 0, terminal: true };
      tree.runs++;
      tree.ended_at = Math.max(tree.ended_at, record.ended_at ?? 0);
      // A helper that was interrupted under a root that is over has been answered for.
      tree.terminal &&= isTerminal(record.state) || (record.state === 'interrupted' && runId !== root_id);
      trees.set(root_id, tree);
    }
    const ended = [...trees.values()].filter((tree) => tree.terminal);
    return outdatedTrees(ended, rule).map((tree) => tree.root_id);
  }

  /** Problems of the latest runs, one sentence each. */
  check(): readonly string[] {
    const latest = [...this.#runs].slice(-FOLDED_RUNS);
    return latest.flatMap(([runId, { record }]) => problemOf(decodeRecord(record.json), this.read(runId, 0)) ?? []);
  }
}
