import type { Message } from '../../domain/run/message.ts';
import { nextRoom } from '../../domain/run/room.ts';
import type { InterruptReason } from '../../domain/run/status.ts';
import { UNKNOWN_USAGE } from '../../domain/run/usage.ts';
import type { ModelRequest } from '../../ports/model.ts';
import { renderReportRequest } from '../../prompts/turns.ts';
import { attempt } from './attempt.ts';
import { afterFailedCall } from './failed-call.ts';
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
  const outcome = await attempt(run, requestOf(run, report), (delta) => text.add(delta));
  text.close();
  if (outcome.kind === 'fault') {
    const makesRoom = outcome.fault.code === 'context_overflow' && nextRoom(state) !== null;
    const stop = await afterFailedCall(run, outcome, { text: text.all, makesRoom });
    return makesRoom && !run.scope.reason ? shrinkTranscript(run) : stop;
  }
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
