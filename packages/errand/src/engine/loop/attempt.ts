import type { Scope } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import type { Fault } from '../../domain/run/event.ts';
import type { ModelFault, ModelOutcome, ModelRequest } from '../../ports/model.ts';
import { guard } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';

/** One call of the run's model: ends with the run, and when the provider is silent for too long. Never rejects, records nothing. */
export async function attempt(
  run: LiveRun,
  request: ModelRequest,
  onText: (delta: string) => void,
): Promise<ModelOutcome> {
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
              onText(delta);
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
