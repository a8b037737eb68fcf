import type { RunEvent } from '../domain/run/event.ts';
import type { RunLimits } from '../domain/run/limits.ts';
import type { RunRecord } from '../domain/run/record.ts';
import type { RunResult } from '../domain/run/result.ts';
import type { CancelReason } from '../domain/run/status.ts';
import type { ModelUsage } from './journal.ts';

/** A root run to be started. */
export interface StartRequest {
  readonly task: string;
  readonly title?: string;
  /** `<connection>/<id>`. */
  readonly model: string;
  /** What was asked for, when the model comes from a flag or a program. */
  readonly askedModel?: string | null;
  /** Absolute folder. */
  readonly cwd: string;
  readonly effort?: string | null;
  readonly sessionId?: string;
  readonly limits?: Partial<RunLimits>;
  /** Bounds of each helper below. */
  readonly helperLimits?: Partial<RunLimits>;
  /** Helpers of this turn, those of helpers included. */
  readonly maxPerTurn?: number;
}

export const START_REFUSALS = [
  'no_task',
  'task_too_long',
  'no_folder',
  'no_model',
  'refused_key',
  'unknown_model',
  'full',
] as const;
/** Nothing was created. The message says what to do. */
export interface StartRefusal {
  readonly code: (typeof START_REFUSALS)[number];
  readonly message: string;
}

/** A run to go on with. */
export interface ResumeRequest {
  readonly runId: string;
  /** Raised bounds of the run itself. */
  readonly limits?: Partial<RunLimits>;
  /** With what a terminal run's successor is opened; left out, it is told to go on. */
  readonly message?: string;
}

export interface ResumeRefusal {
  readonly code: 'not_found' | 'running' | 'no_model' | 'full';
  readonly message: string;
}

export interface ReplayReport {
  readonly run_id: string;
  readonly events: number;
  /** Where the loop took another course than the recorded one; empty: nowhere. */
  readonly differences: readonly {
    readonly at: number;
    readonly recorded: string | null;
    readonly replayed: string | null;
  }[];
}

/** A run to be tried again from one of its steps, by a live model. */
export interface ForkRequest {
  readonly runId: string;
  /** Steps of the recorded run that are kept; 0: none. */
  readonly step: number;
  /** `<connection>/<id>`; left out, the run's own. */
  readonly model?: string;
}

export interface RunHandle {
  readonly run_id: string;
  readonly session_id: string;
  /** Settles when the tree is at rest; rejects only when the record could not be kept, or with a StartRefusal when the first call was refused and the run was withdrawn. */
  readonly result: Promise<RunResult>;
  /** Recorded events of the whole tree, from now on: from the first for who listens as soon as `start` gives the handle; `events` has what came before. Returns the way to stop listening. */
  observe(listener: (events: readonly RunEvent[]) => void): () => void;
  /** The run's own text as it streams, before it is recorded; for a live view. One listener: the last. One that throws hears no more. */
  observeText(listener: (runId: string, delta: string) => void): () => void;
  cancel(reason: CancelReason): void;
}

export type StopAnswer =
  | { readonly kind: 'stopped' | 'at_rest'; readonly record: RunRecord }
  | { readonly kind: 'not_found' | 'no_answer' };

/** What faces (terminal, protocols, programs) may do. */
export interface Runtime {
  start(request: StartRequest): Promise<{ ok: true; value: RunHandle } | { ok: false; error: StartRefusal }>;
  /** Goes on with a run. The handle of a run that is at rest already settles at once. */
  resume(request: ResumeRequest): Promise<{ ok: true; value: RunHandle } | { ok: false; error: ResumeRefusal }>;
  /** Runs the loop again over a run's record, without network; null: there is no such run. */
  replay(runId: string): Promise<ReplayReport | null>;
  fork(request: ForkRequest): Promise<{ ok: true; value: RunHandle } | { ok: false; error: ResumeRefusal }>;
  /** Stops a run and everything under it, in whichever process it lives; returns when it is at rest. */
  stop(runId: string, reason: CancelReason): Promise<StopAnswer>;
  records(filter?: {
    readonly rootId?: string;
    readonly live?: boolean;
    readonly since?: number;
    /** Only runs that began with the transcript of this one. */
    readonly resumedFrom?: string;
  }): Promise<readonly RunRecord[]>;
  result(runId: string): Promise<RunResult | null>;
  events(runId: string, after?: number): Promise<readonly RunEvent[]>;
  /** What all runs have used, by model, those that are no longer kept included. */
  usage(): Promise<readonly ModelUsage[]>;
  /** Called whenever something was recorded, by this process or another. */
  observe(listener: (events: readonly RunEvent[]) => void): () => void;
  close(): Promise<void>;
}
