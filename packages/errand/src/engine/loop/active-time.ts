import type { Clock, Timer } from '../../base/clock.ts';

interface Deadline {
  readonly at: number;
  readonly fire: () => void;
  timer: Timer | null;
}

/** Time in which a run is at work: stands still while it is queued. Deadlines are set in this time. */
export class ActiveTime {
  readonly #clock: Clock;
  #spent: number;
  #since: number | null = null;
  readonly #deadlines = new Set<Deadline>();

  constructor(clock: Clock, spentMs = 0) {
    this.#clock = clock;
    this.#spent = spentMs;
  }

  elapsed(): number {
    return Math.round(this.#since === null ? this.#spent : this.#spent + this.#clock.monotonic() - this.#since);
  }

  start(): void {
    if (this.#since !== null) return;
    this.#since = this.#clock.monotonic();
    for (const deadline of this.#deadlines) this.#arm(deadline);
  }

  pause(): void {
    if (this.#since === null) return;
    this.#spent += this.#clock.monotonic() - this.#since;
    this.#since = null;
    for (const deadline of this.#deadlines) deadline.timer?.cancel();
  }

  /** Calls `fire` once when `elapsed` reaches `at`. Returns the way to call it off. */
  at(at: number, fire: () => void): () => void {
    const deadline: Deadline = { at, fire, timer: null };
    this.#deadlines.add(deadline);
    if (this.#since !== null) this.#arm(deadline);
    return () => {
      deadline.timer?.cancel();
      this.#deadlines.delete(deadline);
    };
  }

  /** Ends all deadlines. */
  close(): void {
    this.pause();
    this.#deadlines.clear();
  }

  #arm(deadline: Deadline): void {
    deadline.timer = this.#clock.timer(Math.max(0, deadline.at - this.elapsed()), () => {
      this.#deadlines.delete(deadline);
      deadline.fire();
    });
  }
}
