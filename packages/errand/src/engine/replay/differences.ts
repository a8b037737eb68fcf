import type { RunEvent } from '../../domain/run/event.ts';

export interface Difference {
  /** Place among the compared events, counted from 1. */
  readonly at: number;
  readonly recorded: string | null;
  readonly replayed: string | null;
}

/** Where two courses of one run part, leaving out what may differ between any two runs: time, and the order in which parallel calls came back. */
export function differencesOf(
  recorded: readonly RunEvent[],
  replayed: readonly RunEvent[],
  order: CallOrder,
): Difference[] {
  const left = comparable(recorded, order);
  const right = comparable(replayed, order);
  const last = recorded.at(-1);
  // At work still, or queued until another process took it up.
  if (last?.type !== 'run.settled') return lostIn(left, right);
  if (last.reason === 'restart') return lostIn(left.slice(0, -1), right);
  const differences: Difference[] = [];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    if (left[index] === right[index]) continue;
    differences.push({ at: index + 1, recorded: left[index] ?? null, replayed: right[index] ?? null });
  }
  return differences;
}

/** A process that was killed may have begun more than is on record; what is on record must be there, in its order. */
function lostIn(recorded: readonly string[], replayed: readonly string[]): Difference[] {
  let from = 0;
  for (const [index, event] of recorded.entries()) {
    const found = replayed.indexOf(event, from);
    if (found < 0) return [{ at: index + 1, recorded: event, replayed: replayed[from] ?? null }];
    from = found + 1;
  }
  return [];
}

/** The place of each call in its step. */
export type CallOrder = ReadonlyMap<string, number>;

export function callOrderOf(events: readonly RunEvent[]): CallOrder {
  const order = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'model.finished')
      for (const [index, call] of event.calls.entries()) order.set(call.call_id, index);
  }
  return order;
}

/** Events as texts, without what the clock decides; the tool events of a step in the order of their calls. */
function comparable(events: readonly RunEvent[], order: CallOrder): string[] {
  const kept = events.filter((event, index) => !TIMED.has(event.type) && !isBreak(event) && !isBroken(events, index));
  const place = (event: RunEvent) =>
    'call_id' in event && event.call_id !== null ? (order.get(event.call_id) ?? 0) : 0;
  const texts: string[] = [];
  let tools: RunEvent[] = [];
  const flush = () => {
    tools.sort((a, b) => place(a) - place(b) || KINDS.indexOf(a.type) - KINDS.indexOf(b.type));
    texts.push(...tools.map(textOf));
    tools = [];
  };
  for (const event of kept) {
    if (KINDS.includes(event.type)) {
      tools.push(event);
    } else {
      flush();
      texts.push(textOf(event));
    }
  }
  flush();
  return texts;
}

/** What tells of a stop from outside and not of the course: a call broken off, and a result that the recording does not hold. */
function isBreak(event: RunEvent): boolean {
  if (event.type === 'model.failed') return event.fault.code === 'stopped';
  return event.type === 'tool.finished' && event.output === RECORDING_ENDS;
}

/** A model call without an outcome: whether a stop from outside came just before it or in it is no part of the course. */
function isBroken(events: readonly RunEvent[], index: number): boolean {
  if (events[index]?.type !== 'model.started') return false;
  const next = events.slice(index + 1).find((event) => OUTCOMES.has(event.type));
  return !next || (next.type !== 'model.finished' && next.type !== 'model.failed') || isBreak(next);
}

/** Stands for the result of a call that the recorded process did not live to see. */
export const RECORDING_ENDS = 'The recording ends before this call did.';

/** What follows the beginning of a model call, in one way or another. */
const OUTCOMES: ReadonlySet<string> = new Set(['model.finished', 'model.failed', 'model.started', 'run.settled']);
const KINDS: readonly string[] = ['tool.started', 'todo.written', 'tool.finished'];
/** Whether and when these are recorded hangs on the clock, on other runs, or on whoever stopped the run. */
const TIMED: ReadonlySet<string> = new Set([
  'model.text',
  'run.waiting',
  'run.running',
  'run.started',
  'cancel.asked',
  'run.resumed',
]);
const TIMES: ReadonlySet<string> = new Set(['seq', 'at', 'ms', 'active_ms', 'retry_in_ms', 'boot_id', 'facts']);

function textOf(event: RunEvent): string {
  return JSON.stringify(event, (key, value) => (TIMES.has(key) ? undefined : value));
}
