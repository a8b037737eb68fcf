import type { Json } from '../../base/json.ts';
import type { Authority, Risk } from '../authority/authority.ts';
import type { Role } from '../role/role.ts';
import type { RunLimits } from './limits.ts';
import type { Finish, Message, ToolCall } from './message.ts';
import type { CancelReason, InterruptReason, Reason, RunStateName, WaitingOn } from './status.ts';
import type { Usage } from './usage.ts';

/** Grows with every change of the shapes below; old journals keep their number. */
export const JOURNAL_FORMAT = 1;

/** Everything that is fixed when a run is created. */
export interface RunSpec {
  readonly root_id: string;
  readonly session_id: string;
  /** Id of the parent's tool call that made this run; null for a root. */
  readonly call_id: string | null;
  /** 0 for a root. */
  readonly depth: number;
  readonly role: Role;
  readonly title: string;
  readonly task: string;
  /** `<connection>/<id>` in use, what was asked for (null: nothing), and what decided. */
  readonly model: string;
  readonly asked_model: string | null;
  readonly model_from: 'call' | 'config' | 'parent';
  readonly effort: string | null;
  /** Tokens of the model's context window; null: not known. */
  readonly window: number | null;
  readonly authority: Authority;
  readonly limits: RunLimits;
  /** Bounds of each helper launched below, and of their number in this turn. */
  readonly helper_limits: RunLimits;
  readonly max_per_turn: number;
  /** Absolute working folder. */
  readonly cwd: string;
  /** Content addresses of the frozen system text and tool list. */
  readonly system: string;
  readonly tools: string;
  /** The one opening turn, as the model reads it. */
  readonly opening: string;
  readonly boot_id: string;
  readonly format: number;
  /** Numbered behaviours this run was recorded under. */
  readonly flags: readonly number[];
  /** The run whose transcript this one began with, and that transcript; not there for a run that began afresh. */
  readonly resumed_from?: string;
  readonly prefix?: readonly Message[];
}

/** What went wrong with a model call. `retryable` is decided once, by the adapter. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
  readonly retryable: boolean;
  /** HTTP status, where there was one. */
  readonly status?: number;
}

export const FAULT_CODES = [
  'refused_key',
  'unknown_model',
  'refused_request',
  'context_overflow',
  'rate_limited',
  'overloaded',
  'timeout',
  'unreachable',
  'cut',
  'bad_answer',
  'stopped',
  'internal',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

export const TOOL_STATUSES = ['ok', 'error', 'refused', 'stopped'] as const;
export type ToolStatus = (typeof TOOL_STATUSES)[number];

/** The ending of a child, taken by its parent with the call that waited for it: unique per (child, ending). */
export interface TakenEnding {
  readonly run_id: string;
  readonly ending: number;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  /** Characters of the answer that were handed over. */
  readonly characters: number;
}

export interface TodoItem {
  readonly text: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** Past facts; what a run is follows from them. */
export type RunEventBody =
  | ({ readonly type: 'run.created' } & RunSpec)
  | { readonly type: 'run.started' }
  | { readonly type: 'run.waiting'; readonly on: WaitingOn }
  | { readonly type: 'run.running' }
  | {
      readonly type: 'model.started';
      readonly step: number;
      readonly attempt: number;
      readonly report: InterruptReason | null;
    }
  | { readonly type: 'model.text'; readonly step: number; readonly text: string }
  | {
      readonly type: 'model.finished';
      readonly step: number;
      readonly text: string;
      readonly calls: readonly ToolCall[];
      readonly finish: Finish;
      readonly usage: Usage;
      /** The id that the provider says it used, where it says one. */
      readonly model_used: string | null;
      readonly active_ms: number;
      readonly ms: number;
      readonly extras?: Json;
    }
  | {
      readonly type: 'model.failed';
      readonly step: number;
      readonly attempt: number;
      readonly fault: Fault;
      /** What had been written before it broke. */
      readonly text: string;
      readonly usage: Usage;
      /** Milliseconds until the next attempt; null: there is none. */
      readonly retry_in_ms: number | null;
      readonly active_ms: number;
    }
  | {
      readonly type: 'tool.started';
      readonly step: number;
      readonly call_id: string;
      readonly name: string;
      readonly args: string;
      readonly risk: Risk | null;
    }
  | {
      readonly type: 'tool.finished';
      readonly step: number;
      readonly call_id: string;
      readonly name: string;
      readonly status: ToolStatus;
      /** What the model is shown. */
      readonly output: string;
      readonly ms: number;
      readonly active_ms: number;
      readonly child?: TakenEnding;
      /** What the runtime itself saw: paths read, argv, exit codes. */
      readonly facts?: Json;
    }
  | {
      /** Tool results were cut to make room. */
      readonly type: 'transcript.trimmed';
      readonly characters: number;
      readonly mark: string;
    }
  | {
      /** The earlier part of the transcript was replaced by a summary to make room. */
      readonly type: 'transcript.summarised';
      /** Messages at the end that stay as they are; left out: none. */
      readonly kept?: number;
      readonly summary: string;
      /** The message that stands for what was left out. */
      readonly note: string;
      readonly usage: Usage;
      readonly active_ms: number;
    }
  | { readonly type: 'todo.written'; readonly items: readonly TodoItem[] }
  | { readonly type: 'cancel.asked'; readonly reason: CancelReason }
  | {
      /** An interrupted or queued run goes on: in which process, and under which bounds. */
      readonly type: 'run.resumed';
      readonly boot_id: string;
      readonly limits: RunLimits;
      /** What the model is told about it, where its last message was a report; else empty. */
      readonly note: string;
    }
  | {
      readonly type: 'run.settled';
      readonly state: 'completed' | 'failed' | 'cancelled' | 'interrupted';
      readonly reason: Reason | null;
      /** 1 for the first ending of a run, one more after each resume. */
      readonly ending: number;
      readonly answer: string;
      readonly partial: boolean;
      /** In words, for a person: what ended it. */
      readonly message: string;
      readonly active_ms: number;
    };

export interface RunEventHead {
  readonly run_id: string;
  readonly parent_id: string | null;
  /** 1, 2, 3 … within the run. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export type RunEvent = RunEventHead & RunEventBody;
export type RunEventType = RunEventBody['type'];
