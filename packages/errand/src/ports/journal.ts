import type { RunEvent } from '../domain/run/event.ts';
import type { RunRecord } from '../domain/run/record.ts';
import type { CancelReason } from '../domain/run/status.ts';
import type { Usage } from '../domain/run/usage.ts';

/** What one run adds in one transaction. Entries of one `append` are recorded together or not at all. */
export interface JournalEntry {
  readonly run_id: string;
  /** In order of `seq`, without gaps after what is recorded. */
  readonly events: readonly RunEvent[];
  /** The run's row after these events. */
  readonly record: RunRecord;
  /** Epoch of the writer's lease on the run's tree (`record.root_id`); another than the one in force is refused with `fenced`. */
  readonly epoch: number;
}

/** Asks for the lease on a tree of runs: the right to write it, held by one process at a time. */
export interface Claim {
  readonly root_id: string;
  readonly boot_id: string;
  /** Whether the lease may be taken from this holder (null: it left no trace): its process is proven dead, or was seen to be silent. Not asked when nobody holds it, or the claimer does. */
  mayTake(holder: Boot | null): boolean;
}

/** `epoch` grows with every change of holder. */
export type ClaimAnswer =
  | { readonly ok: true; readonly epoch: number }
  | { readonly ok: false; readonly holder: Boot | null };

export interface RunFilter {
  readonly root_id?: string;
  /** Only runs that are not at rest. */
  readonly live?: boolean;
  /** Only runs that live or were created or ended at or after this time (ms since the epoch). */
  readonly since?: number;
  /** Only runs that began with the transcript of this one. */
  readonly resumed_from?: string;
}

/** What is still known of a run of which neither row nor events can be read. */
export interface UnreadableRun {
  readonly run_id: string;
  readonly parent_id: string | null;
  readonly call_id: string | null;
  readonly resumed_from: string | null;
}

/** One start of an Errand process. A process id alone proves nothing: ids are used again. */
export interface Boot {
  readonly boot_id: string;
  readonly pid: number;
  /** Start of that process as the system tells it; null where it does not. */
  readonly process_start: string | null;
  readonly host: string;
  readonly started_at: number;
  /** Grows while the process lives (`beat`): one that stands still over a lease's time, by the watcher's own clock, is silent. */
  readonly beats: number;
}

/** Which trees at rest go. */
export interface RetentionRule {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** How long after its end a tree is kept, in milliseconds: counted back from `now`, or from the latest ending of a tree at rest where that is earlier, so that a clock which stands far ahead deletes nothing. */
  readonly age: number;
  /** How long a helper's conversation is kept after its tree has ended, in milliseconds, counted likewise. */
  readonly hiddenAge: number;
  /** Terminal runs that are kept at most. */
  readonly keep: number;
}

/** What retention has deleted. */
export interface Retained {
  readonly runs: number;
  /** Helpers that stay on record without their conversation. */
  readonly conversations: number;
}

/** What the runs of one model have used, those that were deleted included. */
export interface ModelUsage {
  readonly model: string;
  readonly runs: number;
  /** Of these, how many are no longer kept. */
  readonly deleted: number;
  readonly usage: Usage;
}

/** What another process asks of the owner of a run. */
export interface Command {
  readonly id: number;
  readonly kind: 'cancel';
  readonly run_id: string;
  readonly reason: CancelReason;
}

/** `swept`: the conversation of this helper was deleted, as retention says; its record stays. */
export type JournalErrorCode =
  | 'swept'
  | 'conflict'
  | 'fenced'
  | 'full'
  | 'read_only'
  | 'busy'
  | 'corrupt'
  | 'closed'
  | 'io';

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
  /** Events of a run with `seq` > `after`, in order; empty when there is no such run; `swept` when they were deleted. */
  read(runId: string, after?: number): Promise<readonly RunEvent[]>;
  /** A row that is damaged is made again from the run's events; `corrupt` where these are damaged too. */
  record(runId: string): Promise<RunRecord | null>;
  /** In order of creation; without runs of which neither row nor events can be read: those are named by `unreadable`. */
  records(filter?: RunFilter): Promise<readonly RunRecord[]>;
  /** Of one tree, in order of creation. */
  unreadable(rootId: string): Promise<readonly UnreadableRun[]>;
  /** Removes a whole tree of runs: for a root that was refused before anything ran. `epoch`: of the lease, as for `append`; `fenced` under another. */
  discard(rootId: string, epoch: number): Promise<void>;
  /** Called after each commit of this process that has events, or lets go of a lease or a process (then without events), and when another process has committed something (likewise). */
  observe(listener: (events: readonly RunEvent[]) => void): () => void;

  openBoot(boot: Omit<Boot, 'beats'>): Promise<void>;
  /** Forgets a process, with its leases, slots and commands: itself at its end, or one that is proven dead. */
  closeBoot(bootId: string): Promise<void>;
  /** Shows that the process lives. */
  beat(bootId: string): Promise<void>;
  claim(claim: Claim): Promise<ClaimAnswer>;
  /** Gives the lease back, if this process still holds it. */
  release(rootId: string, bootId: string): Promise<void>;
  /** Takes up to `count` of the `limit` slots that all processes of the store share; returns how many were free. */
  takeSlots(bootId: string, count: number, limit: number): Promise<number>;
  giveSlots(bootId: string, count: number): Promise<void>;
  boots(): Promise<readonly Boot[]>;
  /** Leaves a command for the process `bootId` and wakes it. */
  sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void>;
  /** Calls the listener with each command for `bootId`, once. */
  receiveCommands(bootId: string, listener: (command: Command) => void): () => void;
  /**
   * Deletes whole trees at rest whose last run ended longer than `age` ago, and the oldest beyond `keep` terminal runs; never one
   * that lives or is interrupted. Of trees at rest that stay, deletes the events of helpers once `hiddenAge` is over; their records
   * stay, and `read` rejects with `swept`. In small transactions, so that running is not held up. Usage totals stay.
   */
  retain(rule: RetentionRule): Promise<Retained>;
  /** What all runs have used, by model, most tokens first: deleting runs changes none of it but `deleted`. */
  usage(): Promise<readonly ModelUsage[]>;
  /** Problems found in the store, one sentence each; empty: it is sound. */
  check(): Promise<readonly string[]>;
  /** A consistent copy of the store in a file that must not exist yet, made while others write. */
  backup(file: string): Promise<void>;
  /** Waits for what is on its way, then closes. */
  close(): Promise<void>;
}
