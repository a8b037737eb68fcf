/** A number of places for which callers queue, first come first served. */
export interface Slots {
  /** Settles when a place is free, with the way to leave it; null when the signal came first. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
}

export function createSlots(size: number): Slots {
  const waiting = new Set<() => void>();
  let taken = 0;
  const leave = (): void => {
    const [next] = waiting;
    if (next) next();
    else taken -= 1;
  };
  return {
    async take(signal) {
      if (signal.aborted) return null;
      if (taken < size) taken += 1;
      else if (!(await waitFor(waiting, signal))) return null;
      let left = false;
      return () => {
        if (!left) leave();
        left = true;
      };
    },
  };
}

/** True: a place was handed over. */
function waitFor(waiting: Set<() => void>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (served: boolean): void => {
      waiting.delete(serve);
      signal.removeEventListener('abort', giveUp);
      resolve(served);
    };
    const serve = (): void => end(true);
    const giveUp = (): void => end(false);
    waiting.add(serve);
    signal.addEventListener('abort', giveUp);
  });
}
