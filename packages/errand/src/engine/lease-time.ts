/** How long a process may be silent before what it holds may be taken, in milliseconds; it shows itself three times in that. */
export const LEASE_MS = 10_000;
export const BEAT_MS = 3_000;
