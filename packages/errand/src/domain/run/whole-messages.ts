import type { Message, ToolResult } from './message.ts';
import type { RunState } from './state.ts';

/** What stands for the result of a call that never got one. */
export type Instead = Pick<ToolResult, 'text' | 'error'>;

/** The transcript with a result for every call, as providers want it; `instead`: by the ids of the calls that have none. */
export function wholeMessages(run: RunState, instead: ReadonlyMap<string, Instead>): readonly Message[] {
  if (run.open.length === 0) return run.messages;
  const results = run.open.map(({ call_id, name, result }) => {
    const { text = '', error = true } = instead.get(call_id) ?? {};
    return result ?? { call_id, name, text, error };
  });
  return [...run.messages, { role: 'tool', results }];
}
