/**
 * What arrives on the wire is a sign of life, comments and pings included, which provider packages swallow.
 * The transport knows a call by its signal only; this is where the two meet.
 */
const listeners = new WeakMap<AbortSignal, () => void>();

/** Calls `alive` whenever something arrives for the call with this signal. */
export function hearLife(signal: AbortSignal, alive: () => void): void {
  listeners.set(signal, alive);
}

/** Tells the call with this signal, if there is one, that something arrived. */
export function tellLife(signal: AbortSignal | null): void {
  if (signal) listeners.get(signal)?.();
}
