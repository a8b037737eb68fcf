import type { Boot } from './journal.ts';

/** What the system knows of processes. A process id alone proves nothing. */
export interface Processes {
  /** This process, to be recorded with its boot. */
  self(): { readonly pid: number; readonly process_start: string | null; readonly host: string };
  /** `dead` only where it is proven on this host. */
  ownerState(boot: Boot): 'alive' | 'dead' | 'unknown';
}
