/** A running timer; cancelling twice is harmless. */
export interface Timer {
  cancel(): void;
}

/** Time as everything but `app` and `host` sees it, so that a test can move it by hand. */
export interface Clock {
  /** Wall time in milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back and stands still while the machine sleeps. */
  monotonic(): number;
  /** Calls `fire` once after `milliseconds` of monotonic time. */
  timer(milliseconds: number, fire: () => void): Timer;
}
