import type { Authority } from '../../src/domain/authority/authority.ts';
import { answer, type Reply, type ScriptedRequest, status } from '../../src/testing/index.ts';

/** What one helper of the scenario does, step by step; the last entry is said when the script is at its end. */
interface HelperScript {
  readonly title: string;
  readonly steps: readonly { readonly name: string; readonly args: Record<string, unknown> }[];
  /** The model fails this often before its first answer. */
  readonly faults?: number;
  /** Never stops asking for tools: ends at its step limit. */
  readonly endless?: boolean;
}

const read = { name: 'read', args: { path: 'notes.txt' } };
const list = { name: 'list', args: { path: '.' } };
const todo = { name: 'todo_write', args: { items: [{ text: 'look', status: 'in_progress' }] } };

/**
 * The scenario of the crash matrix, as data. Whatever is built later that records something joins it here, in the change that builds it.
 * A tool with a counted effect stands for tools that write.
 */
export const HELPERS: readonly HelperScript[] = [
  { title: 'reads', steps: [read, list, read] },
  { title: 'plans', steps: [todo, read, todo] },
  { title: 'retried', steps: [read], faults: 2 },
  { title: 'partial', steps: [], endless: true },
  { title: 'quick', steps: [] },
  { title: 'lists', steps: [list, todo, list] },
];

export const LIMITS = { helper_steps: 5, retry_first_ms: 1, retry_longest_ms: 2 };
export const ROOT_AUTHORITY: Partial<Authority> = { mode: 'edit', risks: ['none', 'read', 'write'] };
export const TASK = 'ROOT of the crash matrix';

/** Who asks, and for which of its steps: what the server can tell from a request alone. */
export function askerOf(request: ScriptedRequest): { readonly title: string; readonly step: number } {
  const opening = String(request.messages.find((message) => message['role'] === 'user')?.['content'] ?? '');
  const title = /work on ([a-z]+)/u.exec(opening)?.[1] ?? 'root';
  return { title, step: request.messages.filter((message) => message['role'] === 'assistant').length + 1 };
}

/** A model that answers from the transcript alone, so that it answers alike before and after a restart. */
export function createScript(): (request: ScriptedRequest) => Reply {
  const faults = new Map<string, number>();
  return (request) => {
    const { title, step } = askerOf(request);
    if (title === 'root') return rootReply(step);
    const script = HELPERS.find((helper) => helper.title === title);
    if (!script) throw new Error(`no helper ${title}`);
    const failed = faults.get(title) ?? 0;
    if (step === 1 && failed < (script.faults ?? 0)) {
      faults.set(title, failed + 1);
      return status(503, { error: { message: 'overloaded' } });
    }
    const next = script.endless ? list : script.steps[step - 1];
    if (!next) return answer({ text: `### SUMMARY\nthe whole of ${title}` });
    return answer({
      text: `${title} at step ${step}`,
      calls: [{ ...next, args: JSON.stringify(next.args), call_id: `call_${step}` }],
    });
  };
}

function rootReply(step: number): Reply {
  const effect = (label: string) =>
    answer({ calls: [{ name: 'count_effect', args: { label }, call_id: `call_${step}` }] });
  if (step === 1) return effect('before');
  if (step === 2) {
    return answer({
      calls: HELPERS.map(({ title }, index) => ({
        name: 'agent',
        args: { task: `work on ${title}`, title },
        call_id: `call_2_${index}`,
      })),
    });
  }
  return step === 3 ? effect('after') : answer({ text: 'the root has everything' });
}
