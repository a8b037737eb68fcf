import { earlierPart, estimatedTokens, nextRoom, TRIMMED_RESULT, usableTokens } from '../../domain/run/room.ts';
import { UNKNOWN_USAGE } from '../../domain/run/usage.ts';
import type { ModelFault } from '../../ports/model.ts';
import { renderSummarise, renderSummary } from '../../prompts/turns.ts';
import { attempt } from './attempt.ts';
import { afterFailedCall, isUnusable } from './failed-call.ts';
import type { LiveRun, StopReason } from './live-run.ts';

const FULL: StopReason = { state: 'interrupted', reason: 'context' };
const NO_SUMMARY: ModelFault = {
  kind: 'fault',
  fault: { code: 'context_overflow', message: 'The model wrote no summary of it.', retryable: false },
  usage: null,
};
const MARK = '[…]';

/** Before a call: makes room while the transcript is likely not to fit the model's own window. Returns how the run ends where none can be made. */
export async function fitWindow(run: LiveRun): Promise<StopReason | null> {
  const { state, equipment } = run;
  const { window } = state.spec;
  if (window === null) return null;
  const fixed = equipment.system.length + JSON.stringify(equipment.declarations).length;
  while (estimatedTokens(state, fixed) > usableTokens(window)) {
    const stop = await shrinkTranscript(run);
    if (stop || run.scope.reason) return stop;
  }
  return null;
}

/** One step down: tool output first, then the earlier part of the rest. What is left out is on record, so that a resume sees the same. */
export async function shrinkTranscript(run: LiveRun): Promise<StopReason | null> {
  const room = nextRoom(run.state);
  if (room === null) return FULL;
  if (room === 'trim') {
    run.record({ type: 'transcript.trimmed', characters: TRIMMED_RESULT, mark: MARK });
    return null;
  }
  return summarise(run);
}

/** Has the run's own model sum up the earlier part of the transcript; tried again like any call, and on record. */
async function summarise(run: LiveRun): Promise<StopReason | null> {
  const { system } = run.equipment;
  const { state } = run;
  const { messages: earlier, kept } = earlierPart(state);
  const messages = [...earlier, { role: 'user' as const, text: renderSummarise() }];
  while (!run.scope.reason) {
    run.record({ type: 'model.started', step: state.steps + 1, attempt: state.failures + 1, report: null });
    // The results in it are durable before the call is paid for.
    await run.recorded();
    const outcome = await attempt(run, { system, messages, tools: [], effort: state.spec.effort }, () => {});
    const summary = outcome.kind === 'answer' ? outcome.text : '';
    if (summary.trim() !== '') {
      run.record({
        type: 'transcript.summarised',
        ...(kept > 0 ? { kept } : {}),
        summary,
        note: renderSummary(summary),
        usage: outcome.usage ?? UNKNOWN_USAGE,
        active_ms: run.active.elapsed(),
      });
      return null;
    }
    const failed: ModelFault = outcome.kind === 'fault' ? outcome : { ...NO_SUMMARY, usage: outcome.usage };
    const stop = await afterFailedCall(run, failed, { text: '', makesRoom: false });
    // Whatever else keeps it from being summed up for good leaves the transcript as long as it is.
    if (stop) return stop.reason === 'provider' || isUnusable(failed.fault) ? stop : FULL;
  }
  return null;
}
