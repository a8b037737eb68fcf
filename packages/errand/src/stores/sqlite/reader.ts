import type { RunEvent } from '../../domain/run/event.ts';
import { decodeEvent } from '../shared/encode.ts';
import { corruptRun, journalError, swept } from '../shared/faults.ts';
import type { LargeText, Path } from '../shared/large-text.ts';
import type { DatabaseSync } from './module.ts';

interface RunRow {
  readonly parent_id: string | null;
  readonly seq: number;
  readonly swept: 0 | 1;
}

interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly data: string;
}

interface TextRow {
  readonly seq: number;
  readonly path: string;
  readonly bytes: Uint8Array | null;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads events and texts: as they are committed, or as the transaction has left them that its caller holds. */
export class Reader {
  readonly #database: DatabaseSync;
  readonly #begin;
  readonly #commit;
  readonly #selectRun;
  readonly #selectEvents;
  readonly #selectTexts;
  readonly #selectBlob;
  readonly #dataVersion;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#begin = database.prepare('begin');
    this.#commit = database.prepare('commit');
    this.#selectRun = database.prepare('select parent_id, seq, swept from runs where run_id = ?');
    this.#selectEvents = database.prepare(
      'select seq, at, type, data from events where run_id = ? and seq > ? order by seq',
    );
    this.#selectTexts = database.prepare(
      'select seq, path, bytes from event_texts left join blobs using (address) where run_id = ? and seq > ? order by seq',
    );
    this.#selectBlob = database.prepare('select bytes from blobs where address = ?');
    this.#dataVersion = database.prepare('pragma data_version');
  }

  /** Throws `corrupt` when a row is broken or missing, `swept` when they were deleted. */
  read(runId: string, after: number): readonly RunEvent[] {
    const { run, rows, texts } = this.snapshot(() => ({
      run: this.#selectRun.get(runId) as unknown as RunRow | undefined,
      rows: this.#selectEvents.all(runId, after) as unknown as EventRow[],
      texts: this.#selectTexts.all(runId, after) as unknown as TextRow[],
    }));
    if (!run) return [];
    if (run.swept === 1) throw swept(runId);
    const expected = Math.max(0, run.seq - after);
    if (rows.length !== expected || (rows.at(-1)?.seq ?? run.seq) !== run.seq) {
      throw corruptRun(runId, new Error(`${rows.length} of the ${expected} events after ${after} are there`));
    }
    try {
      const bySeq = textsBySeq(texts);
      return rows.map((row) =>
        decodeEvent({ run_id: runId, parent_id: run.parent_id }, { ...row, texts: bySeq.get(row.seq) ?? null }),
      );
    } catch (error) {
      throw corruptRun(runId, error);
    }
  }

  blob(address: string): string | null {
    const row = this.#selectBlob.get(address) as { bytes: Uint8Array } | undefined;
    if (!row) return null;
    try {
      return UTF8.decode(row.bytes);
    } catch (error) {
      throw journalError('corrupt', `The stored text ${address} is damaged.`, error);
    }
  }

  /** Another number after another connection has committed something. */
  dataVersion(): number {
    return Number(this.#dataVersion.get()?.data_version);
  }

  /** All that is read in it is of one moment. */
  snapshot<Value>(read: () => Value): Value {
    if (this.#database.isTransaction) return read();
    this.#begin.run();
    try {
      return read();
    } finally {
      this.#commit.run();
    }
  }
}

function textsBySeq(rows: readonly TextRow[]): ReadonlyMap<number, readonly LargeText[]> {
  const bySeq = new Map<number, LargeText[]>();
  for (const { seq, path, bytes } of rows) {
    if (bytes === null) throw new Error(`the text of event ${seq} at ${path} is missing`);
    const texts = bySeq.get(seq) ?? [];
    texts.push({ path: JSON.parse(path) as Path, text: UTF8.decode(bytes) });
    bySeq.set(seq, texts);
  }
  return bySeq;
}
