import type { RunEvent } from '../../domain/run/event.ts';
import { journalErrorOf } from './errors.ts';
import type { DatabaseSync } from './module.ts';
import type { RunWriter } from './run-writer.ts';

export interface Job {
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
  /** Milliseconds to wait for another process's transaction. */
  readonly timeout: number;
  readonly committed: (events: readonly RunEvent[]) => void;
}

const RETRY_DELAYS = [1, 2, 5, 10, 20, 50];

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
  #busySince: number | null = null;
  #attempt = 0;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
    this.#begin = options.database.prepare('begin immediate');
    this.#commit = options.database.prepare('commit');
  }

  add(job: Job): void {
    this.#jobs.push(job);
    this.#schedule();
  }

  /** Returns the promise of a job that does `write`. */
  run(write: () => void, events: readonly RunEvent[] | null = null): Promise<void> {
    return new Promise((resolve, reject) => this.add({ write, events, resolve, reject }));
  }

  addBlob(address: string, text: string): void {
    this.#blobs.set(address, text);
    this.#schedule();
  }

  pendingBlob(address: string): string | undefined {
    return this.#blobs.get(address);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#scheduled = false;
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
      else for (const job of jobs) this.#alone(job, told);
    }
    this.#busySince = null;
    this.#attempt = 0;
    if (told.length > 0) this.#options.committed(told.flat());
  }

  #alone(job: Job, told: RunEvent[][]): void {
    try {
      this.#transaction([job]);
      settle([job], told);
    } catch (error) {
      this.#rejectAll([job], error);
    }
  }

  #transaction(jobs: readonly Job[]): void {
    const { database, writer } = this.#options;
    this.#begin.run();
    try {
      for (const [address, text] of this.#blobs) writer.putBlob(address, text);
      for (const job of jobs) job.write();
      writer.finish();
      this.#commit.run();
    } catch (error) {
      writer.reset();
      // SQLite itself rolls back on some errors: on a full disk, for one.
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
    this.#blobs.clear();
  }

  /** Waits beside the event loop; returns false when the time is over. */
  #retryLater(jobs: Job[]): boolean {
    const now = performance.now();
    this.#busySince ??= now;
    if (now - this.#busySince >= this.#options.timeout) return false;
    this.#jobs = [...jobs, ...this.#jobs];
    this.#scheduled = true;
    setTimeout(() => this.#flush(), RETRY_DELAYS[Math.min(this.#attempt++, RETRY_DELAYS.length - 1)]);
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
