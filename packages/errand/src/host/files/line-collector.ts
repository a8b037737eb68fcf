/** Which lines are wanted, and how much of them. */
export interface Wanted {
  readonly from: number;
  readonly to: number;
  readonly maxBytes: number;
  readonly maxLine: number;
}

/** Where a line is cut its length is still counted, but not for ever. */
const MOST_COUNTED = 64 * 1024 * 1024;
/** UTF-8 bytes of one UTF-16 unit, at worst. */
const WIDEST = 3;

/** Splits a text that comes in pieces into lines, and keeps those that are wanted. Ends are LF or CRLF. */
export class LineCollector {
  readonly lines: string[] = [];
  readonly #wanted: Wanted;
  readonly #maxLine: number;
  #line = 1;
  #bytes = 0;
  #full = false;
  /** Of the line that is not ended yet: what is kept, how long it is, and its last character. */
  #head = '';
  #length = 0;
  #last = '';
  #counting = true;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#maxLine = Math.max(1, Math.min(wanted.maxLine, Math.floor(wanted.maxBytes / WIDEST)));
  }

  /** Nothing that comes now would be kept. */
  get satisfied(): boolean {
    return this.#full || this.#line > this.#wanted.to || !this.#counting;
  }

  /** Lines ended so far. */
  get ended(): number {
    return this.#line - 1;
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (this.#collects()) this.#append(text, start, end);
      this.#length += end - start;
      this.#endLine();
      start = end + 1;
    }
    if (start === text.length) return;
    if (this.#collects()) this.#append(text, start, text.length);
    this.#length += text.length - start;
    if (this.#collects() && this.#length > MOST_COUNTED) this.#giveUpLine();
  }

  /** After the last piece: a last line needs no line break. */
  finish(): void {
    if (this.#length > 0 && this.#counting) this.#endLine();
  }

  #collects(): boolean {
    return !this.#full && this.#line >= this.#wanted.from && this.#line <= this.#wanted.to;
  }

  #append(text: string, start: number, end: number): void {
    const room = this.#maxLine + 1 - this.#head.length;
    if (room > 0) this.#head += text.slice(start, Math.min(end, start + room));
    if (end > start) this.#last = text.charAt(end - 1);
  }

  #endLine(): void {
    if (this.#collects()) {
      const length = this.#last === '\r' ? this.#length - 1 : this.#length;
      this.#keep(cutLine(this.#head, length, this.#maxLine));
    }
    this.#line += 1;
    this.#head = '';
    this.#length = 0;
    this.#last = '';
  }

  #keep(line: string): void {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > this.#wanted.maxBytes && this.lines.length > 0) {
      this.#full = true;
      return;
    }
    this.#bytes += bytes;
    this.lines.push(line);
  }

  #giveUpLine(): void {
    this.#keep(
      `${keptHead(this.#head, this.#maxLine)}… [more than ${this.#length - this.#maxLine} characters left out]`,
    );
    this.#counting = false;
  }
}

/** A line of `length` characters of which `head` is known: whole, or cut with a mark that says how much is missing. */
function cutLine(head: string, length: number, maxLine: number): string {
  if (length <= maxLine) return head.slice(0, length);
  const kept = keptHead(head, maxLine);
  return `${kept}… [${length - kept.length} characters left out]`;
}

function keptHead(head: string, maxLine: number): string {
  const code = head.charCodeAt(maxLine - 1);
  return head.slice(0, code >= 0xd800 && code <= 0xdbff ? maxLine - 1 : maxLine);
}
