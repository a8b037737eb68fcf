import type { Message } from './message.ts';
import type { RunState } from './state.ts';

/** The transcript without calls that never got a result: no provider takes those. */
export function wholeMessages(run: RunState): readonly Message[] {
  const last = run.messages.at(-1);
  if (last?.role !== 'assistant' || last.calls.length === 0) return run.messages;
  const text = last.text.trim();
  return text === ''
    ? run.messages.slice(0, -1)
    : [...run.messages.slice(0, -1), { role: 'assistant', text, calls: [] }];
}
