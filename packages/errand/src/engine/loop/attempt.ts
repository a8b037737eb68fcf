import type { Scope } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import type { Fault } from '../../domain/run/event.ts';
import { DEFAULT_LIMITS } from '../../domain/run/limits.ts';
import type { ModelAnswer, ModelFault, ModelOutcome, ModelRequest } from '../../ports/model.ts';
import { guard } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';

/** One call of the run's model: ends with the run, and when the provider takes too long. Never rejects, records nothing. */
export async function attempt(
  run: LiveRun,
  request: ModelRequest,
  onText: (delta: string) => void,
): Promise<ModelOutcome> {
  const { clock, limits } = run.services;
  const scope = run.scope.child();
  const time = watchTime(run, scope);
  try {
    const outcome = await guard(
      () =>
        run.equipment.model.call(
          request,
          {
            text: (delta) => {
              time.alive();
              onText(delta);
            },
            alive: () => time.alive(),
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
    if (outcome.kind === 'answer') return checked(outcome);
    const over = time.over();
    return over === null ? outcome : faultOf({ code: 'timeout', message: over, retryable: true });
  } finally {
    time.stop();
    scope.close();
  }
}

/** Results find their call by its id: of two calls with the same one, the second would wait for ever. */
function checked(answer: ModelAnswer): ModelOutcome {
  const ids = new Set(answer.calls.map((call) => call.call_id));
  if (ids.size === answer.calls.length) return answer;
  const message = 'The model adapter broke: two calls of one answer have the same id.';
  return { ...faultOf({ code: 'internal', message, retryable: false }), usage: answer.usage };
}

/** Ends the call when the provider shows no sign of life for the stream idle time-out, and when it is not done within the call time-out. */
function watchTime(run: LiveRun, scope: Scope<StopReason>) {
  const { clock, limits } = run.services;
  const silence = limits.stream_idle_timeout_ms;
  const whole = limits.call_timeout_ms || DEFAULT_LIMITS.call_timeout_ms;
  const end = clock.monotonic() + whole;
  let last = clock.monotonic();
  let over: string | null = null;
  const onTime = () => {
    const now = clock.monotonic();
    const rest = Math.min(last + silence, end) - now;
    if (rest > 0) {
      timer = clock.timer(rest, onTime);
      return;
    }
    const { name } = run.equipment.model;
    over =
      end <= now
        ? `${name} did not finish the call within ${inSeconds(whole)}: try again, or raise limits.call_timeout.`
        : `${name} sent nothing for ${inSeconds(silence)}.`;
    scope.cancel({ state: 'interrupted', reason: 'provider' });
  };
  let timer = clock.timer(Math.min(silence, whole), onTime);
  return {
    alive: () => {
      last = clock.monotonic();
      run.lastProgress = last;
    },
    /** Why the call was ended; null: it was not. */
    over: () => over,
    stop: () => timer.cancel(),
  };
}

function inSeconds(milliseconds: number): string {
  return `${Math.round(milliseconds / 1000)} s`;
}

function faultOf(fault: Fault): ModelFault {
  return { kind: 'fault', fault, usage: null };
}
