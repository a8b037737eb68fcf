import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_FILE } from './errors.ts';
import type { DatabaseSync } from './module.ts';

/** A log of more bytes shows that SQLite's own checkpoints, which wait for no reader, do not keep up. */
export const LOG_LIMIT = 32 * 1024 * 1024;
/** What may stay of the log when nothing happens. */
const IDLE_LIMIT = 1024 * 1024;
/** The log's size is looked at after so many transactions. */
const LOOK_EVERY = 64;

/**
 * Keeps the log from growing without bound. SQLite's own checkpoints move its content into the database, but it starts
 * over only when no reader uses it at that moment. These here wait for readers, as long as one statement may wait.
 */
export class Checkpoints {
  readonly #log: string;
  readonly #truncate;
  #transactions = 0;
  #atLastBeat = 0;
  /** Where a reader stays for long, the next attempt waits until the log has grown again. */
  #limit = LOG_LIMIT;

  constructor(database: DatabaseSync, folder: string) {
    this.#log = `${join(folder, DATABASE_FILE)}-wal`;
    this.#truncate = database.prepare('pragma wal_checkpoint(truncate)');
  }

  /** After a transaction. */
  written(): void {
    if (++this.#transactions % LOOK_EVERY === 0) this.#look();
  }

  /** After a beat: a time to tidy up, when nothing else was written since the last. */
  beat(): void {
    const idle = this.#transactions - this.#atLastBeat <= 1;
    this.#atLastBeat = this.#transactions;
    if (idle && this.#size() > IDLE_LIMIT) this.start();
  }

  /** Empties the log, unless a reader stays in the way. */
  start(): void {
    try {
      this.#truncate.get();
    } catch {
      // Nothing is lost: the log is read as well as the database, and the next time comes.
    }
  }

  #look(): void {
    if (this.#size() <= this.#limit) return;
    this.start();
    this.#limit = Math.max(LOG_LIMIT, 2 * this.#size());
  }

  #size(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
  }
}
