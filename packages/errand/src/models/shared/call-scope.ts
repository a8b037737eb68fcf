import type { Clock, Timer } from '../../base/clock.ts';

/** One call's own signal: ends with the caller's, with the call's time, or when the call is over. */
export class CallScope {
  timedOut = false;
  #controller = new AbortController();
  #outer: AbortSignal;
  #timer: Timer;

  constructor(outer: AbortSignal, options: { readonly clock: Clock; readonly timeoutMs: number }) {
    this.#outer = outer;
    outer.addEventListener('abort', this.#stop);
    this.#timer = options.clock.timer(options.timeoutMs, () => {
      this.timedOut = true;
      this.#controller.abort();
    });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Lets go of caller and clock; with `abandon` whatever is still open is destroyed. */
  close(abandon: boolean): void {
    this.#timer.cancel();
    this.#outer.removeEventListener('abort', this.#stop);
    if (abandon) this.#controller.abort();
  }

  #stop = () => {
    this.#controller.abort();
  };
}
