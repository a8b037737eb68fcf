/** Bytes of one record beyond which it is dropped, so that a line without end cannot fill the memory. */
const MOST_RECORD = 4 * 1024 * 1024;

/** Splits bytes that come in pieces into records. */
export class RecordSplitter {
  /** Records that were too long. */
  dropped = 0;
  readonly #separator: number;
  readonly #take: (record: Buffer) => boolean;
  #pieces: Buffer[] = [];
  #length = 0;

  /** `take` is called with each record, without its separator; it returns false when it wants no more. */
  constructor(separator: number, take: (record: Buffer) => boolean) {
    this.#separator = separator;
    this.#take = take;
  }

  /** False once `take` wants no more. */
  add(bytes: Buffer): boolean {
    let start = 0;
    for (let end = bytes.indexOf(this.#separator); end !== -1; end = bytes.indexOf(this.#separator, start)) {
      this.#keep(bytes.subarray(start, end));
      if (!this.#flush()) return false;
      start = end + 1;
    }
    this.#keep(bytes.subarray(start));
    return true;
  }

  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length <= MOST_RECORD) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #flush(): boolean {
    const [first] = this.#pieces;
    const record = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
    const tooLong = this.#length > MOST_RECORD;
    this.#pieces = [];
    this.#length = 0;
    if (!tooLong) return this.#take(record);
    this.dropped += 1;
    return true;
  }
}
