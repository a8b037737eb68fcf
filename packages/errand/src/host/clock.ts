import type { Clock, Timer } from '../base/clock.ts';

/** The longest delay that Node's timers take; beyond it they fire at once. */
const LONGEST_DELAY = 2 ** 31 - 1;

/** The clock of this machine. */
export function createSystemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    timer: startTimer,
  };
}

function startTimer(milliseconds: number, fire: () => void): Timer {
  const end = performance.now() + milliseconds;
  let timeout: NodeJS.Timeout;
  const wait = (): void => {
    const left = end - performance.now();
    // Node may fire a part of a millisecond early.
    timeout = left > LONGEST_DELAY ? setTimeout(wait, LONGEST_DELAY) : setTimeout(fire, Math.max(0, Math.ceil(left)));
  };
  wait();
  return { cancel: () => clearTimeout(timeout) };
}
