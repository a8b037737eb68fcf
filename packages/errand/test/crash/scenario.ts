import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Authority } from '../../src/domain/authority/authority.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import type { RunRecord } from '../../src/domain/run/record.ts';
import type { Connection } from '../../src/ports/model.ts';
import { answer, type Reply, type ScriptedRequest, status } from '../../src/testing/index.ts';

interface Step {
  readonly name: string;
  readonly args: Record<string, unknown>;
  /** What the model writes with the call. */
  readonly text?: string;
}

/** What one helper of the scenario does, step by step; the last entry is said when the script is at its end. */
interface HelperScript {
  readonly title: string;
  readonly steps: readonly Step[];
  /** The model fails this often before its first answer. */
  readonly faults?: number;
  /** Never stops asking for tools: ends at its step limit. */
  readonly endless?: boolean;
  /** Its model; left out, its parent's. */
  readonly model?: string;
}

/** Longer than the window of the small model, which is told of no tokens: room is made by what it is given to read. */
const LONG_FILE = { name: 'long.txt', text: 'a line that is read\n'.repeat(900) };
const SMALL_WINDOW = 6_500;
const CHATTER = 'so it goes on and on. '.repeat(250);

const read = { name: 'read', args: { path: 'notes.txt' } };
const readLong = { name: 'read', args: { path: LONG_FILE.name } };
const list = { name: 'list', args: { path: '.' } };
const todo = { name: 'todo_write', args: { items: [{ text: 'look', status: 'in_progress' }] } };

/**
 * The scenario of the crash matrix, as data. Whatever is built later that records something joins it here, in the change that builds it.
 * A tool with a counted effect stands for tools that write.
 */
const HELPERS: readonly HelperScript[] = [
  { title: 'reads', steps: [read, list, read] },
  { title: 'plans', steps: [todo, read, todo] },
  { title: 'retried', steps: [read], faults: 2 },
  { title: 'partial', steps: [], endless: true },
  { title: 'quick', steps: [] },
  { title: 'lists', steps: [list, todo, list] },
  // Its results are cut, then the earlier part of its transcript is summed up, and the last step kept.
  {
    title: 'crowded',
    steps: [readLong, { ...list, text: CHATTER }, { ...list, text: CHATTER }],
    model: 'small/m',
  },
];

/** Continues the one that ended at its limit. */
const AGAIN: HelperScript = { title: 'again', steps: [read] };
const CONTINUED = 'partial';
export const ALL_HELPERS = [...HELPERS, AGAIN];

export const LIMITS = { helper_steps: 5, retry_first_ms: 1, retry_longest_ms: 2 };
export const ROOT_AUTHORITY: Partial<Authority> = { mode: 'edit', risks: ['none', 'read', 'write'] };
export const TASK = 'ROOT of the crash matrix';

/** What there is to be read. */
export function furnish(folder: string): void {
  writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\n');
  writeFileSync(join(folder, LONG_FILE.name), LONG_FILE.text);
}

export function connectionsTo(url: string): readonly Connection[] {
  const mock: Connection = {
    name: 'mock',
    kind: 'openai-compatible',
    baseUrl: url,
    apiKey: null,
    headers: {},
    callTimeoutMs: 60_000,
  };
  return [mock, { ...mock, name: 'small', contextWindow: SMALL_WINDOW }];
}

/** Calls of a run whose answers are on record, named as the server can name them. */
export function paidCalls(record: RunRecord, events: readonly RunEvent[]): string[] {
  const title = record.parent_id === null ? 'root' : record.title;
  let steps = 0;
  return events.flatMap((event) => {
    if (event.type === 'model.finished') return [nameOf({ title, step: ++steps, summary: null })];
    if (event.type !== 'transcript.summarised') return [];
    return [nameOf({ title, step: 0, summary: Number(/\d+/u.exec(event.summary)?.[0]) })];
  });
}

export function nameOf({ title, step, summary }: Asker): string {
  return summary === null ? `${title} at ${step}` : `${title} up to ${summary}`;
}

export interface Asker {
  readonly title: string;
  /** Counted from 1. */
  readonly step: number;
  /** Of how many it is asked to sum up; null: it is not. */
  readonly summary: number | null;
}

/** Who asks, and for which of its steps: what the server can tell from a request alone. */
export function askerOf({ messages }: ScriptedRequest): Asker {
  const texts = messages.map(({ role, content }) => (role === 'user' ? String(content) : ''));
  const opening = texts.findLastIndex((text) => /work on [a-z]+/u.test(text));
  const title = /work on ([a-z]+)/u.exec(texts[opening] ?? '')?.[1] ?? 'root';
  const summedUp = Number(/summed up to step (\d+)/u.exec(texts.join('\n'))?.[1] ?? 0);
  const steps = summedUp + messages.slice(opening + 1).filter((message) => message.role === 'assistant').length;
  const isSummary = texts.at(-1)?.startsWith('The conversation so far') === true;
  return { title, step: steps + 1, summary: isSummary ? steps : null };
}

/** A model that answers from the transcript alone, so that it answers alike before and after a restart. */
export function createScript(): (request: ScriptedRequest) => Reply {
  const faults = new Map<string, number>();
  return (request) => {
    const { title, step, summary } = askerOf(request);
    if (title === 'root') return rootReply(step, request);
    const script = ALL_HELPERS.find((helper) => helper.title === title);
    if (!script) throw new Error(`no helper ${title}`);
    const usage = script.model ? { usage: null } : {};
    if (summary !== null) return answer({ text: `summed up to step ${summary}`, ...usage });
    const failed = faults.get(title) ?? 0;
    if (step === 1 && failed < (script.faults ?? 0)) {
      faults.set(title, failed + 1);
      return status(503, { error: { message: 'overloaded' } });
    }
    const next: Step | undefined = script.endless ? list : script.steps[step - 1];
    if (!next) return answer({ text: `### SUMMARY\nthe whole of ${title}`, ...usage });
    const { name, args, text = `${title} at step ${step}` } = next;
    return answer({ text, calls: [{ name, args: JSON.stringify(args), call_id: `call_${step}` }], ...usage });
  };
}

function rootReply(step: number, request: ScriptedRequest): Reply {
  const effect = (label: string) =>
    answer({ calls: [{ name: 'count_effect', args: { label }, call_id: `call_${step}` }] });
  const launch = (index: number, { title, model }: HelperScript, more: Record<string, string> = {}) => ({
    name: 'agent',
    args: { task: `work on ${title}`, title, ...(model ? { model } : {}), ...more },
    call_id: `call_${step}_${index}`,
  });
  if (step === 1) return effect('before');
  if (step === 2) return answer({ calls: HELPERS.map((helper, index) => launch(index, helper)) });
  if (step === 3) return answer({ calls: [launch(0, AGAIN, { resume_from: idOf(CONTINUED, request) })] });
  return step === 4 ? effect('after') : answer({ text: 'the root has everything' });
}

/** As the answer of this helper names it. */
function idOf(title: string, { text }: ScriptedRequest): string {
  const label = text.match(/<helper_answer [^>]*>/gu)?.find((found) => found.includes(`title=\\"${title}\\"`));
  return /run=\\"(run_\w+)\\"/u.exec(label ?? '')?.[1] ?? `no id of ${title}`;
}
