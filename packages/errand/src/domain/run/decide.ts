import { reportWindow } from './limits.ts';
import type { RunState } from './state.ts';
import { type Ending, type InterruptReason, isEnded } from './status.ts';

/** What comes next for a run. */
export type Decision =
  | { readonly next: 'call'; readonly report: InterruptReason | null }
  | { readonly next: 'tools' }
  | { readonly next: 'settle'; readonly ending: Ending }
  | { readonly next: 'rest' };

/** Pure: the same events and the same active time give the same decision. */
export function decide(run: RunState, activeMs: number): Decision {
  if (isEnded(run.state)) return { next: 'rest' };
  if (run.cancel) return settle({ state: 'cancelled', reason: run.cancel });
  if (run.phase === 'tools') return afterToolCalls(run);
  if (run.phase === 'idle' && run.fault && run.failures > 0) {
    // The driver waits out the back-off; a fault that will not pass has ended the run before.
    return call(run, activeMs);
  }
  const last = run.messages.at(-1);
  if (run.phase === 'idle' && last?.role === 'assistant') return settle(naturalEnding(run, last.text));
  return call(run, activeMs);
}

/** How a run ends when its model stops by itself. */
function naturalEnding(run: RunState, text: string): Ending {
  if (run.finish === 'length') return { state: 'failed', reason: 'output_limit' };
  if (run.finish === 'filter') return { state: 'failed', reason: 'provider_refused' };
  // A report that was forced on a run in the middle of its work is no natural end.
  if (run.report && run.steps > 1) return { state: 'interrupted', reason: run.report };
  if (text.trim() === '') return { state: 'failed', reason: 'empty_answer' };
  return { state: 'completed', reason: null };
}

function afterToolCalls(run: RunState): Decision {
  // Calls of a cut answer, or made although no tools were on offer, are never executed.
  if (run.finish === 'length') return settle({ state: 'failed', reason: 'output_limit' });
  if (run.report) return settle({ state: 'interrupted', reason: run.report });
  return { next: 'tools' };
}

function call(run: RunState, activeMs: number): Decision {
  const { steps, tool_calls, wall_ms } = run.limits;
  if (run.steps >= steps) return settle({ state: 'interrupted', reason: 'steps' });
  if (wall_ms !== null && activeMs >= wall_ms) return settle({ state: 'interrupted', reason: 'wall' });
  if (run.report && run.failures > 0) return { next: 'call', report: run.report };
  if (run.toolNames.length >= tool_calls) return { next: 'call', report: 'tool_calls' };
  if (wall_ms !== null && activeMs >= wall_ms - reportWindow(wall_ms)) return { next: 'call', report: 'wall' };
  return { next: 'call', report: run.steps === steps - 1 ? 'steps' : null };
}

function settle(ending: Ending): Decision {
  return { next: 'settle', ending };
}

/**
 * What a run that did not complete has written: its last report where one was asked for,
 * else all it wrote, in order.
 */
export function writtenSoFar(run: RunState): string {
  const own = run.messages.slice(run.ownFrom);
  const texts = own.flatMap((message) => (message.role === 'assistant' && message.text.trim() ? [message.text] : []));
  if (run.streamed.trim()) texts.push(run.streamed);
  const last = own.at(-1);
  const reported = run.report && last?.role === 'assistant' && last.text.trim() !== '';
  return (reported ? last.text : texts.join('\n\n')).trim();
}
