import type { RunEvent } from '../domain/run/event.ts';
import type { RunRecord } from '../domain/run/record.ts';
import type { CancelReason } from '../domain/run/status.ts';

/** What one run adds in one transaction. Entries of one `append` are recorded together or not at all. */
export interface JournalEntry {
  readonly run_id: string;
  /** In order of `seq`, without gaps after what is recorded. */
  readonly events: readonly RunEvent[];
  /** The run's row after these events. */
  readonly record: RunRecord;
}

export interface RunFilter {
  readonly root_id?: string;
  /** Only runs that are not at rest. */
  readonly live?: boolean;
  /** Only runs that live or were created or ended at or after this time (ms since the epoch). */
  readonly since?: number;
}

/** One start of an Errand process. A process id alone proves nothing: ids are used again. */
export interface Boot {
  readonly boot_id: string;
  readonly pid: number;
  /** Start of that process as the system tells it; null where it does not. */
  readonly process_start: string | null;
  readonly host: string;
  readonly started_at: number;
}

/** What another process asks of the owner of a run. */
export interface Command {
  readonly id: number;
  readonly kind: 'cancel';
  readonly run_id: string;
  readonly reason: CancelReason;
}

export type JournalErrorCode = 'conflict' | 'full' | 'read_only' | 'busy' | 'corrupt' | 'closed' | 'io';

/**
 * The truth about runs: append-only events, a row per run, content-addressed blobs.
 * Writes are batched per tick over all runs; a promise settles when its batch is durable.
 * Every failure is a CodedError<JournalErrorCode>.
 */
export interface Journal {
  /** Rejects with `conflict` when a `seq` is already taken. Batches keep the order of the calls. */
  append(entries: readonly JournalEntry[]): Promise<void>;
  /** Stores a text under its content address (sha-256, hex) and returns it; the same text twice is stored once. Durable no later than the next append. */
  putBlob(text: string): string;
  getBlob(address: string): Promise<string | null>;
  /** Events of a run with `seq` > `after`, in order; empty when there is no such run. */
  read(runId: string, after?: number): Promise<readonly RunEvent[]>;
  record(runId: string): Promise<RunRecord | null>;
  /** In order of creation. */
  records(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Removes a whole tree of runs: for a root that was refused before anything ran. */
  discard(rootId: string): Promise<void>;
  /** Called after each commit of this process, and when another process has committed something (then without events). */
  observe(listener: (events: readonly RunEvent[]) => void): () => void;

  openBoot(boot: Boot): Promise<void>;
  closeBoot(bootId: string): Promise<void>;
  boots(): Promise<readonly Boot[]>;
  /** Leaves a command for the process `bootId` and wakes it. */
  sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void>;
  /** Calls the listener with each command for `bootId`, once. */
  receiveCommands(bootId: string, listener: (command: Command) => void): () => void;
  /** Waits for what is on its way, then closes. */
  close(): Promise<void>;
}
