import { messageOf } from '../../base/errors.ts';
import { estimatedTokens, nextRoom, TRIMMED_RESULT, usableTokens } from '../../domain/run/room.ts';
import { UNKNOWN_USAGE } from '../../domain/run/usage.ts';
import type { ModelOutcome } from '../../ports/model.ts';
import { renderSummarise, renderSummary } from '../../prompts/turns.ts';
import { guard } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';

const FULL: StopReason = { state: 'interrupted', reason: 'context' };
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

/** One step down: tool output first, then everything but the task. What is left out is on record, so that a resume sees the same. */
export async function shrinkTranscript(run: LiveRun): Promise<StopReason | null> {
  const room = nextRoom(run.state);
  if (room === null) return FULL;
  if (room === 'trim') {
    run.record({ type: 'transcript.trimmed', characters: TRIMMED_RESULT, mark: MARK });
    return null;
  }
  const outcome = await askForSummary(run);
  if (run.scope.reason) return null;
  if (outcome.kind === 'fault' || outcome.text.trim() === '') return FULL;
  run.record({
    type: 'transcript.summarised',
    summary: outcome.text,
    note: renderSummary(outcome.text),
    usage: outcome.usage ?? UNKNOWN_USAGE,
    active_ms: run.active.elapsed(),
  });
  return null;
}

/** By the run's own model, from what fits: the task and the latest half of what followed it. */
function askForSummary(run: LiveRun): Promise<ModelOutcome> {
  const { clock, limits } = run.services;
  const { model, system } = run.equipment;
  const { messages, spec } = run.state;
  const scope = run.scope.child();
  const silence = clock.timer(limits.call_timeout_ms, () => scope.cancel({ state: 'interrupted', reason: 'provider' }));
  const request = {
    system,
    messages: [...laterHalf(messages), { role: 'user' as const, text: renderSummarise() }],
    tools: [],
    effort: spec.effort,
  };
  const broken = (message: string): ModelOutcome => ({
    kind: 'fault',
    fault: { code: 'internal', message, retryable: false },
    usage: null,
  });
  return guard<ModelOutcome>(() => model.call(request, { text: () => {}, alive: () => {} }, scope.signal), {
    clock,
    signal: scope.signal,
    graceMs: limits.stop_grace_ms,
    onLate: () => broken('It did not end after it was stopped.'),
    onError: (error) => broken(messageOf(error)),
  }).finally(() => {
    silence.cancel();
    scope.close();
  });
}

/** The opening, and the later half of the rest, beginning with a message of the model so that no result stands without its call. */
function laterHalf(messages: LiveRun['state']['messages']): LiveRun['state']['messages'] {
  const from = messages.findIndex((message, index) => index >= messages.length / 2 && message.role === 'assistant');
  return from < 0 ? messages.slice(0, 1) : [...messages.slice(0, 1), ...messages.slice(from)];
}
