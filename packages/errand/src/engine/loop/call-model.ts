import type { Scope } from '../../base/abort.ts';
import { backoffDelay } from '../../base/backoff.ts';
import { messageOf } from '../../base/errors.ts';
import type { Fault } from '../../domain/run/event.ts';
import { RETRY_JITTER } from '../../domain/run/limits.ts';
import type { Message } from '../../domain/run/message.ts';
import { nextRoom } from '../../domain/run/room.ts';
import type { InterruptReason } from '../../domain/run/status.ts';
import { UNKNOWN_USAGE } from '../../domain/run/usage.ts';
import type { ModelFault, ModelOutcome, ModelRequest } from '../../ports/model.ts';
import { renderReportRequest } from '../../prompts/turns.ts';
import { guard, pause } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';
import { shrinkTranscript } from './make-room.ts';
import { TextRecorder } from './text-recorder.ts';

const NO_TOOLS: ModelRequest['tools'] = [];

/**
 * One attempt at one model call, recorded before and after.
 * Returns how the run ends, where a fault ends it; null when it goes on.
 */
export async function callModel(run: LiveRun, report: InterruptReason | null): Promise<StopReason | null> {
  const { services, state } = run;
  const step = state.steps + 1;
  run.record({ type: 'model.started', step, attempt: state.failures + 1, report });
  // The results of the calls before it are durable before the next call is paid for.
  await run.recorded();
  if (run.scope.reason) return null;
  const started = services.clock.monotonic();
  const text = new TextRecorder(run, step);
  const outcome = await attempt(run, requestOf(run, report), text);
  text.close();
  if (outcome.kind === 'fault') return onFault(run, outcome, text.all);
  run.record({
    type: 'model.finished',
    step,
    text: outcome.text,
    calls: outcome.calls,
    finish: outcome.finish,
    usage: outcome.usage ?? UNKNOWN_USAGE,
    model_used: outcome.modelUsed,
    active_ms: run.active.elapsed(),
    ms: Math.round(services.clock.monotonic() - started),
    ...(outcome.extras === undefined ? {} : { extras: outcome.extras }),
  });
  // The answer is durable before a call in it starts.
  if (outcome.calls.length > 0) await run.recorded();
  return null;
}

function requestOf(run: LiveRun, report: InterruptReason | null): ModelRequest {
  const { system, declarations } = run.equipment;
  const { messages, spec } = run.state;
  const asked: readonly Message[] = report
    ? [...messages, { role: 'user', text: renderReportRequest(report) }]
    : messages;
  return { system, messages: asked, tools: report ? NO_TOOLS : declarations, effort: spec.effort };
}

async function attempt(run: LiveRun, request: ModelRequest, text: TextRecorder): Promise<ModelOutcome> {
  const { clock, limits } = run.services;
  const scope = run.scope.child();
  const idle = watchSilence(run, scope);
  try {
    const outcome = await guard(
      () =>
        run.equipment.model.call(
          request,
          {
            text: (delta) => {
              idle.alive();
              text.add(delta);
            },
            alive: () => idle.alive(),
          },
          scope.signal,
        ),
      {
        clock,
        signal: scope.signal,
        graceMs: limits.stop_grace_ms,
        onLate: () =>
          faultOf({ code: 'stopped', message: 'The call did not end after it was stopped.', retryable: false }),
        onError: (error) =>
          faultOf({ code: 'internal', message: `The model adapter broke: ${messageOf(error)}`, retryable: false }),
      },
    );
    if (outcome.kind === 'answer') return outcome;
    if (idle.silent()) return faultOf({ code: 'timeout', message: idle.message, retryable: true });
    return outcome;
  } finally {
    idle.stop();
    scope.close();
  }
}

/** Ends the call when the provider shows no sign of life for the stream idle time-out. */
function watchSilence(run: LiveRun, scope: Scope<StopReason>) {
  const { clock, limits } = run.services;
  const bound = limits.stream_idle_timeout_ms;
  let last = clock.monotonic();
  let silent = false;
  const onTime = () => {
    const rest = last + bound - clock.monotonic();
    if (rest > 0) {
      timer = clock.timer(rest, onTime);
      return;
    }
    silent = true;
    scope.cancel({ state: 'interrupted', reason: 'provider' });
  };
  let timer = clock.timer(bound, onTime);
  return {
    alive: () => {
      last = clock.monotonic();
      run.lastProgress = last;
    },
    silent: () => silent,
    stop: () => timer.cancel(),
    message: `${run.equipment.model.name} sent nothing for ${Math.round(bound / 1000)} s.`,
  };
}

function faultOf(fault: Fault): ModelFault {
  return { kind: 'fault', fault, usage: null };
}

async function onFault(run: LiveRun, outcome: ModelFault, text: string): Promise<StopReason | null> {
  const { clock, limits, random } = run.services;
  const { state } = run;
  const stopped = run.scope.reason !== undefined;
  const makeRoom = outcome.fault.code === 'context_overflow' && nextRoom(state) !== null;
  const fault: Fault = stopped
    ? { code: 'stopped', message: 'The run was stopped during this call.', retryable: false }
    : outcome.fault;
  const attemptNumber = state.failures + 1;
  const retry = fault.retryable && attemptNumber <= limits.retries;
  const options = { first: limits.retry_first_ms, longest: limits.retry_longest_ms, jitter: RETRY_JITTER };
  const asked = Math.min(outcome.retryAfterMs ?? 0, limits.retry_after_longest_ms);
  const delay = makeRoom ? 0 : retry ? Math.max(asked, backoffDelay(options, attemptNumber, random)) : null;
  run.record({
    type: 'model.failed',
    step: state.steps + 1,
    attempt: attemptNumber,
    fault,
    text,
    usage: outcome.usage ?? UNKNOWN_USAGE,
    retry_in_ms: delay,
    active_ms: run.active.elapsed(),
  });
  if (stopped) return null;
  if (makeRoom) return shrinkTranscript(run);
  if (delay === null) return endingOf(fault);
  run.record({ type: 'run.waiting', on: 'retry' });
  if (await pause(clock, delay, run.scope.signal)) run.record({ type: 'run.running' });
  return null;
}

function endingOf(fault: Fault): StopReason {
  if (fault.retryable) return { state: 'interrupted', reason: 'provider' };
  if (fault.code === 'context_overflow') return { state: 'interrupted', reason: 'context' };
  return {
    state: 'failed',
    reason: fault.code === 'internal' || fault.code === 'stopped' ? 'internal' : 'provider_refused',
  };
}
