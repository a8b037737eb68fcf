import type { RunEvent, TodoItem } from '../domain/run/event.ts';
import { isEnded, type Reason, type RunStateName, type WaitingOn } from '../domain/run/status.ts';
import type { Usage } from '../domain/run/usage.ts';

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
  /** Characters of the present call's text that have arrived, where that is told. */
  readonly written: number;
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
  /** Calls whose usage was never told. */
  readonly unknownCalls: number;
  /** Helpers that its turn may have. */
  readonly maxHelpers: number;
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

/** The view after more text of a run's present call has arrived; `characters`: of all that came since the view was. */
export function addWritten(view: View, written: ReadonlyMap<string, number>): View {
  const rows = new Map(view.rows);
  for (const [runId, characters] of written) {
    const row = rows.get(runId);
    if (row?.thinking) rows.set(runId, { ...row, written: row.written + characters });
  }
  return { rows };
}

/** Whether anything still works, waits or queues. */
export function isLive(view: View): boolean {
  for (const row of view.rows.values()) if (!isEnded(row.state)) return true;
  return false;
}

function firstRow(event: Extract<RunEvent, { type: 'run.created' }>): Row {
  const { run_id, parent_id, title, role, model, max_per_turn: maxHelpers, at } = event;
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
    written: 0,
    running: [],
    unfinished: [],
    called: [],
    createdAt: at,
    startedAt: null,
    endedAt: null,
    steps: 0,
    tokens: 0,
    unknownCalls: 0,
    maxHelpers,
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
      return { ...row, thinking: true, written: 0 };
    case 'model.finished':
      return { ...row, thinking: false, written: 0, steps: row.steps + 1, ...spending(row, event.usage) };
    case 'model.failed':
      return { ...row, thinking: false, written: 0, ...spending(row, event.usage) };
    case 'transcript.summarised':
      return { ...row, ...spending(row, event.usage) };
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
      return { ...row, state, reason, partial, endedAt: at, waitingOn: null, thinking: false, written: 0, running: [] };
    }
    default:
      return row;
  }
}

function spending(row: Row, usage: Usage): Pick<Row, 'tokens' | 'unknownCalls'> {
  return {
    tokens: row.tokens + usage.input + usage.output,
    unknownCalls: row.unknownCalls + usage.unknown_calls,
  };
}
