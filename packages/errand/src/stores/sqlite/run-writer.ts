import { addressOf, type EncodedEntry, type EventRow, type RecordRow } from '../shared/encode.ts';
import { conflict } from '../shared/faults.ts';
import { Eraser } from './eraser.ts';
import { isTaken } from './errors.ts';
import type { Leases } from './leases.ts';
import type { DatabaseSync } from './module.ts';

interface Staged {
  /** `seq` that the stored row must have; null: there must be none. */
  readonly before: number | null;
  seq: number;
  record: RecordRow;
}

/**
 * Writes entries inside a transaction that its caller holds.
 * Rows of `runs` are held back until `finish`: of several in one transaction only the last is written.
 */
export class RunWriter {
  readonly #leases: Leases;
  readonly #staged = new Map<string, Staged>();
  readonly #insertEvent;
  readonly #insertRun;
  readonly #updateRun;
  readonly #selectSeq;
  readonly #insertBlob;
  readonly #insertText;
  readonly #eraser: Eraser;

  constructor(database: DatabaseSync, leases: Leases) {
    this.#leases = leases;
    this.#insertEvent = database.prepare('insert into events (run_id, seq, at, type, data) values (?, ?, ?, ?, ?)');
    this.#insertRun = database.prepare(
      `insert into runs (run_id, parent_id, root_id, session_id, call_id, resumed_from, state, live, created_at, started_at, ended_at, seq, record)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (run_id) do nothing`,
    );
    // Nothing follows what was swept: its events could not be read.
    this.#updateRun = database.prepare(
      `update runs set state = ?, live = ?, started_at = ?, ended_at = ?, seq = ?, record = ?
       where run_id = ? and seq = ? and swept = 0`,
    );
    this.#selectSeq = database.prepare('select seq from runs where run_id = ?');
    this.#insertBlob = database.prepare(
      `insert into blobs (address, bytes, pinned) values (?, ?, ?)
       on conflict (address) do update set pinned = 1 where excluded.pinned > pinned`,
    );
    this.#insertText = database.prepare('insert into event_texts (run_id, seq, path, address) values (?, ?, ?, ?)');
    this.#eraser = new Eraser(database);
  }

  /** Throws `fenced` or `conflict` when the entries may not follow what is there or staged; the transaction is then of no use. */
  append(entries: readonly EncodedEntry[]): void {
    this.#leases.check(entries);
    for (const entry of entries) {
      this.#stage(entry);
      try {
        for (const row of entry.rows) this.#writeEvent(entry.run_id, row);
      } catch (error) {
        throw isTaken(error) ? conflict(entry.run_id, error) : error;
      }
    }
  }

  putBlob(address: string, text: string): void {
    this.#insertBlob.run(address, Buffer.from(text), 1);
  }

  /** Throws `fenced` where the lease is another's. */
  discard(rootId: string, epoch: number): void {
    this.#leases.checkEpoch(rootId, epoch);
    this.finish();
    this.#eraser.eraseTree(rootId);
    this.#leases.forget(rootId);
  }

  /** Writes what is staged. Throws `conflict` when a stored row is not the one that was built upon. */
  finish(): void {
    for (const [runId, staged] of this.#staged) if (!this.#writeRun(runId, staged)) throw conflict(runId);
    this.#staged.clear();
  }

  /** Forgets what it knows of a transaction that is over. */
  reset(): void {
    this.#staged.clear();
    this.#leases.reset();
  }

  #stage({ run_id, before, rows, record }: EncodedEntry): void {
    const staged = this.#staged.get(run_id);
    const known = staged ? staged.seq : (before ?? this.#storedSeq(run_id));
    if (before !== null && before !== known) throw conflict(run_id);
    const seq = known + rows.length;
    if (seq === 0 || rows.some((row, index) => row.seq !== known + index + 1)) throw conflict(run_id);
    if (staged) {
      staged.seq = seq;
      staged.record = record;
    } else {
      this.#staged.set(run_id, { before: known === 0 ? null : known, seq, record });
    }
  }

  /** Returns false when the stored row is not the one that was built upon. */
  #writeRun(runId: string, { before, seq, record }: Staged): boolean {
    const { state, live, started_at, ended_at, json } = record;
    if (before !== null) {
      return this.#updateRun.run(state, live, started_at, ended_at, seq, json, runId, before).changes === 1;
    }
    const { parent_id, root_id, session_id, call_id, resumed_from, created_at } = record;
    const head = [runId, parent_id, root_id, session_id, call_id, resumed_from] as const;
    return this.#insertRun.run(...head, state, live, created_at, started_at, ended_at, seq, json).changes === 1;
  }

  #storedSeq(runId: string): number {
    return Number(this.#selectSeq.get(runId)?.seq ?? 0);
  }

  #writeEvent(runId: string, { seq, at, type, data, texts }: EventRow): void {
    this.#insertEvent.run(runId, seq, at, type, data);
    for (const { path, text } of texts ?? []) {
      const address = addressOf(text);
      this.#insertBlob.run(address, Buffer.from(text), 0);
      this.#insertText.run(runId, seq, JSON.stringify(path), address);
    }
  }
}
