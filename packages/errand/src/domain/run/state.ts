import type { Risk } from '../authority/authority.ts';
import type { Fault, RunSpec, TodoItem } from './event.ts';
import type { RunLimits } from './limits.ts';
import type { Finish, Message, ToolCall, ToolResult } from './message.ts';
import type { CancelReason, InterruptReason, Reason, RunStateName, WaitingOn } from './status.ts';
import type { Usage } from './usage.ts';

/** A call of the current step; `result` once it has ended. */
export interface OpenCall extends ToolCall {
  readonly started: boolean;
  /** Null until it has started. */
  readonly risk: Risk | null;
  readonly result: ToolResult | null;
  /** Of a helper's answer, handed over with the result. */
  readonly characters: number;
}

/** A run as the fold of its events. Changed by `apply` alone. */
export interface RunState {
  readonly run_id: string;
  readonly parent_id: string | null;
  readonly spec: RunSpec;
  seq: number;
  /** Time of the last event. Within a run time never goes back, whatever the clock of the machine does. */
  at: number;
  /** The process that drives it, or did last. */
  bootId: string;
  /** The bounds in force: those of the spec until they are raised. */
  limits: RunLimits;
  state: RunStateName;
  reason: Reason | null;
  waitingOn: WaitingOn | null;
  phase: 'idle' | 'calling' | 'tools' | 'ended';
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
  /** Model calls that finished; a call that is retried is one step. */
  steps: number;
  /** How many of them there were when it last went on; null: it never did. */
  stepsWhenResumed: number | null;
  /** Failed attempts of the call under way. */
  failures: number;
  fault: Fault | null;
  /** The limit for which a last report was asked for. */
  report: InterruptReason | null;
  finish: Finish | null;
  messages: Message[];
  /** Where its own part of them begins: with its opening, behind what it began with. */
  ownFrom: number;
  /** What the provider counted for the last call, and how many messages that covers; null: nothing, or the transcript has changed since. */
  counted: { readonly messages: number; readonly tokens: number } | null;
  open: OpenCall[];
  /** Text of the call under way, as far as it is recorded. */
  streamed: string;
  /** Calls that were carried out, in the order of their start. */
  toolNames: string[];
  /** The call of the step that was started last. */
  currentTool: string | null;
  /** Helpers whose endings were taken, in that order. */
  children: string[];
  usage: Usage;
  modelUsed: string | null;
  activeMs: number;
  todo: readonly TodoItem[];
  cancel: CancelReason | null;
  endings: number;
  answer: string;
  partial: boolean;
  message: string;
}
