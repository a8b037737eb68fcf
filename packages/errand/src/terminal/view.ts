import type { RunEvent, TodoItem } from '../domain/run/event.ts';
import { isEnded, type Reason, type RunStateName, type WaitingOn } from '../domain/run/status.ts';

/** A run as the live view shows it. Times in milliseconds since the epoch. */
export interface Row {
  readonly run_id: string;
  readonly parent_id: string | null;
  readonly title: string;
  readonly role: string;
  readonly model: string;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  readonly waitingOn: WaitingOn | null;
  readonly thinking: boolean;
  /** Calls that run now, in order of their start. */
  readonly running: readonly { readonly call_id: string; readonly name: string }[];
  /** Ids of calls that have begun and not ended, also of those that a restart broke off. */
  readonly unfinished: readonly string[];
  /** Names of all calls, in order. */
  readonly called: readonly string[];
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly steps: number;
  readonly tokens: number;
  readonly todo: readonly TodoItem[];
  readonly partial: boolean;
}

/** All runs, in order of creation. */
export interface View {
  readonly rows: ReadonlyMap<string, Row>;
}

export const EMPTY_VIEW: View = { rows: new Map() };

/** The view after these events. Events of runs whose beginning was not told are left out. */
export function foldView(view: View, events: readonly RunEvent[]): View {
  const rows = new Map(view.rows);
  for (const event of events) {
    const row = event.type === 'run.created' ? firstRow(event) : rows.get(event.run_id);
    if (row) rows.set(event.run_id, event.type === 'run.created' ? row : next(row, event));
  }
  return { rows };
}

/** Whether anything still works, waits or queues. */
export function isLive(view: View): boolean {
  for (const row of view.rows.values()) if (!isEnded(row.state)) return true;
  return false;
}

function firstRow(event: Extract<RunEvent, { type: 'run.created' }>): Row {
  const { run_id, parent_id, title, role, model, at } = event;
  return {
    run_id,
    parent_id,
    title,
    role,
    model,
    state: 'queued',
    reason: null,
    waitingOn: null,
    thinking: false,
    running: [],
    unfinished: [],
    called: [],
    createdAt: at,
    startedAt: null,
    endedAt: null,
    steps: 0,
    tokens: 0,
    todo: [],
    partial: false,
  };
}

function next(row: Row, event: RunEvent): Row {
  switch (event.type) {
    case 'run.started':
      return { ...row, state: 'running', waitingOn: null, startedAt: row.startedAt ?? event.at, endedAt: null };
    case 'run.running':
      return { ...row, state: 'running', waitingOn: null, endedAt: null };
    case 'run.waiting':
      return { ...row, state: 'waiting', waitingOn: event.on };
    case 'model.started':
      return { ...row, thinking: true };
    case 'model.finished':
      return { ...row, thinking: false, steps: row.steps + 1, tokens: row.tokens + spent(event.usage) };
    case 'model.failed':
      return { ...row, thinking: false, tokens: row.tokens + spent(event.usage) };
    case 'transcript.summarised':
      return { ...row, tokens: row.tokens + spent(event.usage) };
    case 'tool.started': {
      const call = { call_id: event.call_id, name: event.name };
      const running = [...row.running, call];
      // Begun again after a restart, it is still one call.
      if (row.unfinished.includes(event.call_id)) return { ...row, running };
      return { ...row, running, unfinished: [...row.unfinished, event.call_id], called: [...row.called, event.name] };
    }
    case 'tool.finished':
      return {
        ...row,
        running: row.running.filter(({ call_id }) => call_id !== event.call_id),
        unfinished: row.unfinished.filter((call_id) => call_id !== event.call_id),
      };
    case 'todo.written':
      return { ...row, todo: event.items };
    case 'run.resumed':
      return { ...row, state: 'queued', reason: null, partial: false, endedAt: null };
    case 'run.settled': {
      const { state, reason, partial, at } = event;
      return { ...row, state, reason, partial, endedAt: at, waitingOn: null, thinking: false, running: [] };
    }
    default:
      return row;
  }
}

function spent(usage: { readonly input: number; readonly output: number }): number {
  return usage.input + usage.output;
}
