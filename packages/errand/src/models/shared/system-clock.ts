import type { Clock } from '../../base/clock.ts';

/** The machine's own time, for callers that bring no clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(milliseconds, fire) {
    const handle = setTimeout(fire, milliseconds);
    return { cancel: () => clearTimeout(handle) };
  },
};
