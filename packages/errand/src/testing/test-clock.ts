import type { Clock, Timer } from '../base/clock.ts';

/** A clock that a test moves by hand. */
export interface TestClock extends Clock {
  /**
   * Moves time on by `milliseconds`, firing what falls due in order of time, then of creation. Promises and
   * finished I/O run before, between and after, so that timers set by what a timer woke fire as well.
   */
  advance(milliseconds: number): Promise<void>;
  /** Moves wall time alone, as when a machine sleeps or somebody sets the clock. Fires nothing. */
  jump(milliseconds: number): void;
  /** Timers that have neither fired nor been cancelled. */
  readonly pending: number;
  /** Milliseconds until the next timer; null: there is none. */
  readonly next: number | null;
  /** Settles once at least `count` timers are pending. */
  whenPending(count: number): Promise<void>;
}

interface Entry {
  readonly at: number;
  readonly fire: () => void;
}

/** Time starts at `start` (milliseconds since the epoch); monotonic time starts at 0. */
export function createTestClock(start = Date.UTC(2026, 0, 1)): TestClock {
  // A set keeps the order of creation, which decides between timers of one moment.
  const entries = new Set<Entry>();
  const waiters = new Set<() => void>();
  let wall = start;
  let monotonic = 0;

  const earliest = (limit: number): Entry | undefined => {
    let found: Entry | undefined;
    for (const entry of entries) if (entry.at <= limit && (!found || entry.at < found.at)) found = entry;
    return found;
  };
  const moveTo = (time: number) => {
    wall += time - monotonic;
    monotonic = time;
  };

  return {
    now: () => wall,
    monotonic: () => monotonic,
    timer(milliseconds, fire): Timer {
      const entry = { at: monotonic + Math.max(0, milliseconds), fire };
      entries.add(entry);
      for (const check of [...waiters]) check();
      return { cancel: () => void entries.delete(entry) };
    },
    async advance(milliseconds) {
      const target = monotonic + milliseconds;
      await settle();
      for (let due = earliest(target); due; due = earliest(target)) {
        entries.delete(due);
        moveTo(Math.max(monotonic, due.at));
        due.fire();
        await settle();
      }
      moveTo(target);
    },
    jump(milliseconds) {
      wall += milliseconds;
    },
    get pending() {
      return entries.size;
    },
    get next() {
      const first = earliest(Number.POSITIVE_INFINITY);
      return first ? first.at - monotonic : null;
    },
    whenPending(count) {
      return new Promise((resolve) => {
        const check = () => {
          if (entries.size < count) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      });
    },
  };
}

/** Lets promises and what the event loop has ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
