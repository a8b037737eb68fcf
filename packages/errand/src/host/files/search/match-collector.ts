import { isJsonObject, type Json, type JsonObject, parseJson } from '../../../base/json.ts';
import type { GlobTest } from './glob.ts';

/** A line that ripgrep reports, not yet seen by ourselves. */
export interface FoundMatch {
  /** Relative to the workspace root. */
  readonly path: string;
  readonly line: number;
  /** Where the line begins in the file as ripgrep reads it: without byte order mark, UTF-16 as UTF-8. */
  readonly offset: number;
  /** The line's first bytes, its end included. */
  readonly bytes: Buffer;
  readonly text: string;
}

export interface CollectorOptions {
  /** Folder in which ripgrep runs, from the root: empty, or with `/` at its end. */
  readonly prefix: string;
  /** Judges a path relative to that folder. */
  readonly fits: GlobTest;
  readonly limit: number;
  readonly maxLine: number;
}

/** Bytes of a line that are kept for the comparison. */
export const COMPARED_BYTES = 64 * 1024;

/** Takes ripgrep's JSON records and keeps the matches of text files, up to one more than the limit. */
export class MatchCollector {
  /** The record that ends a run was seen. */
  summarised = false;
  readonly #options: CollectorOptions;
  readonly #found: FoundMatch[] = [];
  /** Of the file at hand: it may still turn out to be binary. */
  #pending: FoundMatch[] = [];
  #path: string | null = null;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** False when there are enough. */
  take(record: Buffer): boolean {
    const parsed = parseJson(record.toString());
    const data = parsed.ok && isJsonObject(parsed.value) ? parsed.value.data : undefined;
    if (!parsed.ok || !isJsonObject(parsed.value) || !isJsonObject(data)) return true;
    switch (parsed.value.type) {
      case 'begin':
        this.#begin(data);
        return true;
      case 'match':
        return this.#match(data);
      case 'end':
        if (data.binary_offset === null) this.#found.push(...this.#pending);
        this.#pending = [];
        return true;
      default:
        this.summarised = true;
        return true;
    }
  }

  finish(): { readonly found: readonly FoundMatch[]; readonly more: boolean } {
    const all = [...this.#found, ...this.#pending];
    return { found: all.slice(0, this.#options.limit), more: all.length > this.#options.limit };
  }

  #begin(data: JsonObject): void {
    const path = textOf(data.path);
    const relative = path?.startsWith('./') ? path.slice(2) : path;
    // A name that is no UTF-8 cannot be asked for either.
    this.#path = relative && this.#options.fits(relative) ? this.#options.prefix + relative : null;
    this.#pending = [];
  }

  #match(data: JsonObject): boolean {
    const line = data.line_number;
    const offset = data.absolute_offset;
    if (this.#path === null || typeof line !== 'number' || typeof offset !== 'number') return true;
    const bytes = bytesOf(data.lines);
    const text = (textOf(data.lines) ?? bytes.toString('latin1')).replace(/\r?\n$/u, '');
    const shown = cutAround(text, startOf(data, bytes), this.#options.maxLine);
    // A copy: the piece of output it came in would be kept whole.
    const compared = Buffer.from(bytes.subarray(0, COMPARED_BYTES));
    this.#pending.push({ path: this.#path, line, offset, bytes: compared, text: shown });
    return this.#found.length + this.#pending.length <= this.#options.limit;
  }
}

/** Characters before the first hit of a line. */
function startOf(data: JsonObject, bytes: Buffer): number {
  const submatches: Json | undefined = data.submatches;
  const first = Array.isArray(submatches) ? (submatches[0] as Json | undefined) : undefined;
  const start = isJsonObject(first) && typeof first.start === 'number' ? first.start : 0;
  return bytes.subarray(0, start).toString().length;
}

/** The part of a line that shows what was found, with marks for what is left out on either side. */
function cutAround(text: string, start: number, maxLine: number): string {
  if (text.length <= maxLine) return text;
  const from = Math.max(0, Math.min(start - Math.floor(maxLine / 3), text.length - maxLine));
  const after = text.length - from - maxLine;
  const before = from > 0 ? `[${from} characters left out] …` : '';
  return before + text.slice(from, from + maxLine) + (after > 0 ? `… [${after} characters left out]` : '');
}

function textOf(value: Json | undefined): string | null {
  return isJsonObject(value) && typeof value.text === 'string' ? value.text : null;
}

function bytesOf(value: Json | undefined): Buffer {
  const text = textOf(value);
  if (text !== null) return Buffer.from(text);
  return isJsonObject(value) && typeof value.bytes === 'string' ? Buffer.from(value.bytes, 'base64') : Buffer.alloc(0);
}
