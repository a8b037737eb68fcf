import { hash } from 'node:crypto';
import { isJsonObject, type Json } from '../../base/json.ts';
import type { RunEvent, RunEventHead, RunEventType } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import { isEnded, type RunStateName } from '../../domain/run/status.ts';
import { NO_USAGE } from '../../domain/run/usage.ts';
import type { JournalEntry } from '../../ports/journal.ts';
import { unwritable } from './faults.ts';
import { attachLargeText, detachLargeTexts, INLINE_CHARACTERS, type LargeText } from './large-text.ts';

/** An event as it is stored: the head in columns, the rest as JSON. */
export interface EventRow {
  readonly seq: number;
  readonly at: number;
  readonly type: RunEventType;
  readonly data: string;
  /** What was taken out of `data`; null: nothing. */
  readonly texts: readonly LargeText[] | null;
}

/** An entry as text, taken at the call: what its owner changes afterwards is not recorded with it. */
export interface EncodedEntry {
  readonly run_id: string;
  readonly events: readonly RunEvent[];
  readonly rows: readonly EventRow[];
  /** The last `seq` of the run before this entry; null when the entry has no events. */
  readonly before: number | null;
  readonly record: RecordRow;
  readonly epoch: number;
}

export interface RecordRow {
  readonly parent_id: string | null;
  readonly root_id: string;
  readonly session_id: string;
  readonly call_id: string | null;
  readonly resumed_from: string | null;
  readonly state: RunStateName;
  readonly live: 0 | 1;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly json: string;
}

/** Throws `io` for what JSON cannot say: a circular value, for one. */
export function encodeEntries(entries: readonly JournalEntry[]): readonly EncodedEntry[] {
  try {
    return entries.map(encodeEntry);
  } catch (error) {
    throw unwritable(error);
  }
}

function encodeEntry(entry: JournalEntry): EncodedEntry {
  const first = entry.events[0];
  return {
    run_id: entry.run_id,
    events: entry.events,
    rows: entry.events.map(encodeEvent),
    before: first ? first.seq - 1 : null,
    record: encodeRecord(entry.record),
    epoch: entry.epoch,
  };
}

function encodeEvent(event: RunEvent): EventRow {
  const { run_id: _run, parent_id: _parent, seq, at, type, ...body } = event;
  const data = JSON.stringify(body);
  if (data.length <= INLINE_CHARACTERS) return { seq, at, type, data, texts: null };
  const { rest, texts } = detachLargeTexts(body);
  return { seq, at, type, data: JSON.stringify(rest), texts };
}

/** The event again. Throws when the row is broken. */
export function decodeEvent(
  run: Pick<RunEventHead, 'run_id' | 'parent_id'>,
  row: Omit<EventRow, 'type'> & { type: string },
): RunEvent {
  const body: unknown = JSON.parse(row.data);
  if (!isJsonObject(body)) throw new Error('not an object');
  for (const text of row.texts ?? []) {
    if (!attachLargeText(body, text)) throw new Error(`no place for a text at ${text.path.join('.')}`);
  }
  return {
    run_id: run.run_id,
    parent_id: run.parent_id,
    seq: row.seq,
    at: row.at,
    type: row.type,
    ...body,
  } as RunEvent;
}

/** Of a record, what everybody who is shown a run relies on; `counts`: in its usage. */
export const RELIED_ON = {
  texts: ['run_id', 'root_id', 'session_id', 'title', 'role', 'model', 'state', 'cwd', 'boot_id'],
  lists: ['tool_calls', 'todo'],
  counts: Object.keys(NO_USAGE),
} as const;

/** The record again. Throws when the text is broken, or says less than a record. */
export function decodeRecord(json: string): RunRecord {
  const record: unknown = JSON.parse(json);
  if (!isJsonObject(record)) throw new Error('not an object');
  const wrong =
    RELIED_ON.texts.find((name) => typeof record[name] !== 'string') ??
    RELIED_ON.lists.find((name) => !Array.isArray(record[name]));
  if (wrong !== undefined || !isUsage(record['usage'])) throw new Error(`no ${wrong ?? 'usage'} as a record has it`);
  return record as unknown as RunRecord;
}

function isUsage(value: Json | undefined): boolean {
  return isJsonObject(value) && RELIED_ON.counts.every((name) => typeof value[name] === 'number');
}

function encodeRecord(record: RunRecord): RecordRow {
  return {
    parent_id: record.parent_id,
    root_id: record.root_id,
    session_id: record.session_id,
    call_id: record.call_id,
    resumed_from: record.resumed_from,
    state: record.state,
    live: isEnded(record.state) ? 0 : 1,
    created_at: record.created_at,
    started_at: record.started_at,
    ended_at: record.ended_at,
    json: JSON.stringify(record),
  };
}

/** Content address of a text, or of its UTF-8 bytes: their SHA-256, in hex. */
export function addressOf(text: string | Uint8Array): string {
  return hash('sha256', text);
}
