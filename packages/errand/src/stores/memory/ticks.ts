import type { RunEvent } from '../../domain/run/event.ts';

interface Job {
  /** Returns what the listeners are told; null: nothing. */
  run(): readonly RunEvent[] | null;
  resolve(): void;
  reject(error: unknown): void;
}

/** Does all that was asked for in one tick at its end, in order, each for itself. */
export class Ticks {
  readonly #committed: (events: readonly RunEvent[]) => void;
  #jobs: Job[] = [];

  constructor(committed: (events: readonly RunEvent[]) => void) {
    this.#committed = committed;
  }

  /** For what changes runs: `committed` is called with what `run` returns. */
  change(run: () => readonly RunEvent[]): Promise<void> {
    return new Promise((resolve, reject) => this.#add({ run, resolve, reject }));
  }

  /** For anything else; resolves with what `run` returns. */
  ask<Value>(run: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      let done: () => void = () => {};
      const keep = () => {
        const value = run();
        done = () => resolve(value);
        return null;
      };
      this.#add({ run: keep, resolve: () => done(), reject });
    });
  }

  #add(job: Job): void {
    if (this.#jobs.length === 0) setImmediate(() => this.#commit());
    this.#jobs.push(job);
  }

  #commit(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    const told: RunEvent[] = [];
    let tell = false;
    for (const job of jobs) {
      try {
        const events = job.run();
        if (events) {
          tell = true;
          for (const event of events) told.push(event);
        }
        job.resolve();
      } catch (error) {
        job.reject(error);
      }
    }
    if (tell) this.#committed(told);
  }
}
