import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { JournalErrorCode } from '../../ports/journal.ts';
import { closed } from '../shared/faults.ts';
import { journalErrorOf } from './errors.ts';
import type { DatabaseSync } from './module.ts';
import type { RunWriter } from './run-writer.ts';

interface Job {
  /** Inside a transaction; called again when that was rolled back. */
  write(): void;
  /** What the listeners are told after the commit; null: nothing. */
  readonly events: readonly RunEvent[] | null;
  resolve(): void;
  reject(error: unknown): void;
}

export interface WriteQueueOptions {
  readonly database: DatabaseSync;
  readonly writer: RunWriter;
  readonly folder: string;
  readonly clock: Clock;
  /** Milliseconds to wait for another process's transaction. */
  readonly timeout: number;
  /** Called after each flush that has committed something that listeners are told of. */
  readonly committed: (events: readonly RunEvent[]) => void;
  /** Called after each transaction. */
  readonly written: () => void;
}

const RETRY_DELAYS = [1, 2, 5, 10, 20, 50];

/** Failures of the store and not of a job: what comes later in the same tick must not be recorded without what came before. */
const OF_THE_STORE: readonly JournalErrorCode[] = ['full', 'io', 'busy', 'read_only'];

function isOfTheStore(error: unknown, code: JournalErrorCode): boolean {
  return !(error instanceof CodedError) && OF_THE_STORE.includes(code);
}

/**
 * All that is written in one tick goes into one transaction at its end.
 * When that fails, each job gets a transaction of its own, so that one cannot take the others down.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  readonly #begin;
  readonly #commit;
  #jobs: Job[] = [];
  /** Texts of this tick, and those that no commit has taken yet. */
  readonly #blobs = new Map<string, string>();
  #scheduled = false;
  #stopped = false;
  #writing = false;
  #busySince: number | null = null;
  #attempt = 0;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#begin = options.database.prepare('begin immediate');
    this.#commit = options.database.prepare('commit');
  }

  /** Resolves with what `write` returned in the transaction that was committed. It may be called several times. */
  run<Value>(write: () => Value, events: readonly RunEvent[] | null = null): Promise<Value> {
    if (this.#stopped) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      let done: () => void = () => {};
      const keep = () => {
        const value = write();
        done = () => resolve(value);
      };
      this.#jobs.push({ write: keep, events, resolve: () => done(), reject });
      this.#schedule();
    });
  }

  /** Refuses what still waits, and all that comes, with `closed`. */
  stop(): void {
    this.#stopped = true;
    this.#rejectAll(this.#jobs, closed());
    this.#jobs = [];
  }

  addBlob(address: string, text: string): void {
    this.#blobs.set(address, text);
    this.#schedule();
  }

  pendingBlob(address: string): string | undefined {
    return this.#blobs.get(address);
  }

  /** Takes back what a rollback that failed has left open; a reader would see it. */
  tidy(): void {
    const { database } = this.#options;
    if (database.isTransaction && !this.#writing) database.exec('rollback');
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
    if (this.#stopped) return;
    const jobs = this.#jobs;
    this.#jobs = [];
    const told: RunEvent[][] = [];
    try {
      this.#transaction(jobs);
      settle(jobs, told);
    } catch (error) {
      const { code } = journalErrorOf(error, this.#options.folder);
      if (code === 'busy' && this.#retryLater(jobs)) return;
      if (code === 'busy' || code === 'read_only') this.#rejectAll(jobs, error);
      else this.#each(jobs, told);
    }
    this.#busySince = null;
    this.#attempt = 0;
    if (told.length > 0) this.#options.committed(told.flat());
  }

  /** A transaction for each job, up to the first that the store itself refuses. */
  #each(jobs: readonly Job[], told: RunEvent[][]): void {
    for (const [index, job] of jobs.entries()) {
      try {
        this.#transaction([job]);
        settle([job], told);
      } catch (error) {
        const coded = journalErrorOf(error, this.#options.folder);
        if (coded.code === 'busy' && this.#retryLater(jobs.slice(index))) return;
        if (isOfTheStore(error, coded.code)) {
          this.#rejectAll(jobs.slice(index), coded);
          return;
        }
        job.reject(coded);
      }
    }
  }

  #transaction(jobs: readonly Job[]): void {
    const { database, writer, written } = this.#options;
    this.tidy();
    this.#begin.run();
    this.#writing = true;
    try {
      for (const [address, text] of this.#blobs) writer.putBlob(address, text);
      for (const job of jobs) job.write();
      writer.finish();
      this.#commit.run();
    } catch (error) {
      // SQLite itself rolls back on some errors: on a full disk, for one.
      if (database.isTransaction) quietly(() => database.exec('rollback'));
      throw error;
    } finally {
      this.#writing = false;
      writer.reset();
    }
    this.#blobs.clear();
    // What is committed stays committed, whatever comes of the care for the log.
    quietly(written);
  }

  /** Waits beside the event loop; returns false when the time is over. */
  #retryLater(jobs: readonly Job[]): boolean {
    const { clock, timeout } = this.#options;
    const now = clock.monotonic();
    this.#busySince ??= now;
    if (now - this.#busySince >= timeout) return false;
    this.#jobs = [...jobs, ...this.#jobs];
    this.#scheduled = true;
    const delay = RETRY_DELAYS[Math.min(this.#attempt++, RETRY_DELAYS.length - 1)] ?? 0;
    clock.timer(delay, () => this.#flush());
    return true;
  }

  #rejectAll(jobs: readonly Job[], error: unknown): void {
    const coded = journalErrorOf(error, this.#options.folder);
    for (const job of jobs) job.reject(coded);
  }
}

function settle(jobs: readonly Job[], told: RunEvent[][]): void {
  for (const job of jobs) {
    if (job.events) told.push([...job.events]);
    job.resolve();
  }
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The error that led here says more.
  }
}
