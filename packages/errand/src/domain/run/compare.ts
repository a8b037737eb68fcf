import { parseJson } from '../../base/json.ts';
import { fold } from './apply.ts';
import type { RunEvent } from './event.ts';
import type { Message } from './message.ts';
import type { Reason, RunStateName } from './status.ts';
import type { Usage } from './usage.ts';

/** A call of a run's course, with the step that it belongs to. */
export interface ComparedCall {
  readonly step: number;
  readonly name: string;
  /** As the model wrote them. */
  readonly args: string;
}

/** One of two runs side by side. */
export interface ComparedRun {
  readonly run_id: string;
  readonly title: string;
  readonly model: string;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  readonly partial: boolean;
  /** Steps of its own, and those that it took over from the run that it goes on from, which come first in the course. */
  readonly steps: number;
  readonly kept_steps: number;
  readonly tool_calls: readonly ComparedCall[];
  readonly usage: Usage;
  readonly active_ms: number;
}

export interface DiffLine {
  readonly in: 'both' | 'a' | 'b';
  readonly text: string;
}

export interface RunComparison {
  readonly type: 'comparison';
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly same_model: boolean;
  readonly same_state: boolean;
  /** The first step whose calls differ in name, arguments or number, kept steps included; null: none does. */
  readonly parted_at_step: number | null;
  readonly answer: { readonly equal: boolean; readonly diff: readonly DiffLine[] };
}

/** Two recorded runs side by side; each given by its events from the first on. */
export function compareRuns(a: readonly RunEvent[], b: readonly RunEvent[]): RunComparison {
  const [left, right] = [courseOf(a), courseOf(b)];
  const equal = left.answer === right.answer;
  return {
    type: 'comparison',
    a: left.run,
    b: right.run,
    same_model: left.run.model === right.run.model,
    same_state: left.run.state === right.run.state && left.run.reason === right.run.reason,
    parted_at_step: partingOf(left.steps, right.steps),
    answer: { equal, diff: equal ? [] : diffOf(left.answer.split('\n'), right.answer.split('\n')) },
  };
}

type Step = readonly Omit<ComparedCall, 'step'>[];

function courseOf(events: readonly RunEvent[]): { run: ComparedRun; steps: readonly Step[]; answer: string } {
  const { run_id, spec, state, reason, partial, usage, activeMs, answer } = fold(events);
  const kept = (spec.prefix ?? []).flatMap(callsOf);
  const own = events.flatMap((event) => (event.type === 'model.finished' ? [event.calls] : []));
  const steps = [...kept, ...own];
  const tool_calls = steps.flatMap((calls, index) => calls.map(({ name, args }) => ({ step: index + 1, name, args })));
  const { title, model } = spec;
  const counts = { steps: own.length, kept_steps: kept.length };
  return {
    run: { run_id, title, model, state, reason, partial, ...counts, tool_calls, usage, active_ms: activeMs },
    steps,
    answer,
  };
}

function callsOf(message: Message): Step[] {
  return message.role === 'assistant' ? [message.calls] : [];
}

function partingOf(a: readonly Step[], b: readonly Step[]): number | null {
  for (let at = 0; at < Math.max(a.length, b.length); at++) if (keyOf(a[at]) !== keyOf(b[at])) return at + 1;
  return null;
}

function keyOf(step: Step | undefined): string | null {
  return step ? JSON.stringify(step.map(({ name, args }) => [name, canonical(args)])) : null;
}

/** Arguments that say the same are the same, in whatever order and layout. */
function canonical(args: string): unknown {
  const parsed = parseJson(args);
  return parsed.ok ? sorted(parsed.value) : args;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)]);
}

/** Beyond so many pairs of lines, what differs is shown as a whole. */
const MOST_PAIRS = 4_000_000;

/** Lines that only one of two texts has, between those that both have; as few as can be. */
export function diffOf(a: readonly string[], b: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const both = (text: string): DiffLine => ({ in: 'both', text });
  const middle = diffOfMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(both), ...middle, ...a.slice(a.length - end).map(both)];
}

function diffOfMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const onlyA = (text: string): DiffLine => ({ in: 'a', text });
  const onlyB = (text: string): DiffLine => ({ in: 'b', text });
  if (a.length * b.length > MOST_PAIRS) return [...a.map(onlyA), ...b.map(onlyB)];
  const width = b.length + 1;
  // How many lines a from i on and b from j on have in common, in order.
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && left === right) {
      lines.push({ in: 'both', text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(onlyA(left));
      i++;
    } else if (right !== undefined) {
      lines.push(onlyB(right));
      j++;
    }
  }
  return lines;
}
