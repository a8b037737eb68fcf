import type { Message } from './message.ts';
import type { OpenCall, RunState } from './state.ts';

/** The transcript with a result for every call, as providers want it; `instead`: what is said of a call that never got one. */
export function wholeMessages(run: RunState, instead: (call: OpenCall) => string): readonly Message[] {
  if (run.open.length === 0) return run.messages;
  const results = run.open.map(
    (call) => call.result ?? { call_id: call.call_id, name: call.name, text: instead(call), error: true },
  );
  return [...run.messages, { role: 'tool', results }];
}
