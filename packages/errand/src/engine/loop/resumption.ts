import type { RunEventBody } from '../../domain/run/event.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import type { OpenCall, RunState } from '../../domain/run/state.ts';
import { renderNotOffered, renderResumeNote } from '../../prompts/turns.ts';

/** What is recorded when an interrupted or queued run goes on. Pure: a replay records the same. */
export function resumption(state: RunState, bootId: string, limits: RunLimits): RunEventBody[] {
  // After a restart the run stands where it stood: an answer that was on record is its answer.
  if (state.reason === 'restart' || state.state === 'queued')
    return [{ type: 'run.resumed', boot_id: bootId, limits, note: '' }];
  const last = state.messages.at(-1);
  const note = last?.role === 'assistant' && last.calls.length === 0 ? renderResumeNote() : '';
  // Calls in a last report were never on offer; they are answered, so that the transcript is whole.
  const unoffered = state.report === null ? [] : state.open.filter((call) => !call.result);
  return [{ type: 'run.resumed', boot_id: bootId, limits, note }, ...unoffered.map((call) => notOffered(state, call))];
}

function notOffered(run: RunState, { call_id, name }: OpenCall): RunEventBody {
  const { steps: step, activeMs: active_ms } = run;
  return { type: 'tool.finished', step, call_id, name, status: 'error', output: renderNotOffered(), ms: 0, active_ms };
}
