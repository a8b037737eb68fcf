import type { TodoItem } from './event.ts';
import type { RunState } from './state.ts';
import type { Reason, RunStateName, WaitingOn } from './status.ts';
import type { Usage } from './usage.ts';

/** One row about a run, kept beside its events; what `ps`, `show` and the live view ask for. Times in ms since the epoch. */
export interface RunRecord {
  readonly run_id: string;
  readonly parent_id: string | null;
  readonly root_id: string;
  readonly session_id: string;
  /** Id of the parent's call that made it. */
  readonly call_id: string | null;
  /** The run whose transcript this one began with. */
  readonly resumed_from: string | null;
  readonly depth: number;
  readonly title: string;
  readonly role: string;
  readonly model: string;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  readonly waiting_on: WaitingOn | null;
  readonly cwd: string;
  readonly boot_id: string;
  readonly created_at: number;
  readonly started_at: number | null;
  readonly ended_at: number | null;
  readonly steps: number;
  readonly tool_calls: readonly string[];
  readonly current_tool: string | null;
  readonly usage: Usage;
  readonly active_ms: number;
  readonly todo: readonly TodoItem[];
  readonly endings: number;
  readonly partial: boolean;
}

export function recordOf(run: RunState): RunRecord {
  const { spec } = run;
  return {
    run_id: run.run_id,
    parent_id: run.parent_id,
    root_id: spec.root_id,
    session_id: spec.session_id,
    call_id: spec.call_id,
    resumed_from: spec.resumed_from ?? null,
    depth: spec.depth,
    title: spec.title,
    role: spec.role,
    model: spec.model,
    state: run.state,
    reason: run.reason,
    waiting_on: run.waitingOn,
    cwd: spec.cwd,
    boot_id: run.bootId,
    created_at: run.createdAt,
    started_at: run.startedAt,
    ended_at: run.endedAt,
    steps: run.steps,
    tool_calls: run.toolNames,
    current_tool: run.currentTool,
    usage: run.usage,
    active_ms: run.activeMs,
    todo: run.todo,
    endings: run.endings,
    partial: run.partial,
  };
}
