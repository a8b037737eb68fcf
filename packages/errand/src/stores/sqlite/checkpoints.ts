import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { DATABASE_FILE } from './errors.ts';
import type { DatabaseSync } from './module.ts';

/** A log of more bytes shows that SQLite's own checkpoints, which wait for no reader, do not keep up. */
export const LOG_LIMIT = 32 * 1024 * 1024;
/** What may stay of the log when nothing happens. */
const IDLE_LIMIT = 1024 * 1024;
/** The log's size is looked at after so many transactions. */
const LOOK_EVERY = 64;
/** Where a reader stays for long, milliseconds until the next attempt: each of them stops this process for a while. */
const PAUSE = 1_000;

/**
 * Keeps the log from growing without bound. SQLite's own checkpoints move its content into the database, but it starts
 * over only when no reader uses it at that moment. These here wait for readers, as long as one statement may wait.
 */
export class Checkpoints {
  readonly #log: string;
  readonly #clock: Clock;
  readonly #truncate;
  #transactions = 0;
  #atLastBeat = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  constructor(database: DatabaseSync, { folder, clock }: { readonly folder: string; readonly clock: Clock }) {
    this.#clock = clock;
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
    if (this.#size() <= LOG_LIMIT || this.#clock.monotonic() < this.#notBefore) return;
    this.start();
    this.#notBefore = this.#clock.monotonic() + PAUSE;
  }

  #size(): number {
    return statSync(this.#log, { throwIfNoEntry: false })?.size ?? 0;
  }
}
