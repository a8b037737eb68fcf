import type { Clock, Timer } from '../../base/clock.ts';

/**
 * The outcome of `work`, or what `onLate` says when it has not ended `graceMs` after the signal:
 * a broken adapter cannot hold a run. A rejection is handed to `onError`.
 */
export function guard<Value>(work: () => Promise<Value>, options: GuardOptions<Value>): Promise<Value> {
  const { clock, signal, graceMs } = options;
  return new Promise((resolve) => {
    let timer: Timer | null = null;
    const onAbort = () => {
      timer = clock.timer(graceMs, () => finish(options.onLate()));
    };
    const finish = (value: Value) => {
      timer?.cancel();
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    let started: Promise<Value>;
    try {
      started = work();
    } catch (error) {
      started = Promise.reject(error);
    }
    started.then(finish, (error: unknown) => finish(options.onError(error)));
  });
}

export interface GuardOptions<Value> {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly onLate: () => Value;
  readonly onError: (error: unknown) => Value;
}

/** Waits `milliseconds`; false when the signal came first. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.timer(milliseconds, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
