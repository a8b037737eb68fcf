import { CodedError, messageOf } from '../../base/errors.ts';
import { decide, writtenSoFar } from '../../domain/run/decide.ts';
import type { RunEventBody } from '../../domain/run/event.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { Ending } from '../../domain/run/status.ts';
import { callModel } from './call-model.ts';
import { describeEnding } from './describe-ending.ts';
import { isUnusable } from './failed-call.ts';
import { watchHeartbeat } from './heartbeat.ts';
import type { LiveRun } from './live-run.ts';
import { fitWindow } from './make-room.ts';
import { runTools } from './run-tools.ts';

/**
 * Drives a run from wherever its events leave it until it is at rest: decide, record, act, record.
 * Root and helper, new and resumed: this loop. Never rejects; `run.ended` tells how it went.
 */
export async function drive(run: LiveRun): Promise<void> {
  const { wall_ms } = run.state.limits;
  const stopHeartbeat = watchHeartbeat(run);
  if (wall_ms !== null) run.active.at(wall_ms, () => run.scope.cancel({ state: 'interrupted', reason: 'wall' }));
  try {
    while (await advance(run)) {
      // Each turn of the loop is one decision, acted on and recorded.
    }
    await run.recorded();
    run.resolveEnded();
  } catch (error) {
    await settleBroken(run, error);
  } finally {
    stopHeartbeat();
    run.active.close();
    run.giveSlot();
  }
}

/** One decision; false when the run is at rest. */
async function advance(run: LiveRun): Promise<boolean> {
  if (run.scope.reason) return settle(run, run.scope.reason);
  const decision = decide(run.state, run.active.elapsed());
  switch (decision.next) {
    case 'rest':
      return false;
    case 'settle':
      return settle(run, decision.ending);
    case 'tools':
      // A run that comes back in the middle of a step needs its slot first.
      if (!(await takeSlot(run))) return true;
      await runTools(run);
      return true;
    case 'call': {
      if (!(await takeSlot(run))) return true;
      const stop = (await fitWindow(run)) ?? (run.scope.reason ? null : await callModel(run, decision.report));
      return stop ? settle(run, stop) : true;
    }
  }
}

/** A slot for the step; waiting for one costs no active time. False when the run was stopped meanwhile. */
async function takeSlot(run: LiveRun): Promise<boolean> {
  const { slots } = run.services;
  const { state } = run;
  if (run.holdsSlot) return true;
  run.active.pause();
  // One that is queued waits for its first slot; of any other it is to be seen that it waits for one, and for nothing else.
  const onWaiting = () => {
    if (state.state !== 'queued') run.record({ type: 'run.waiting', on: 'slot' });
  };
  if (!(await slots.wait(run.isHelper, run.scope.signal, onWaiting))) return false;
  run.holdsSlot = true;
  run.active.start();
  if (state.state === 'queued') run.record({ type: 'run.started' });
  else if (state.state === 'waiting') run.record({ type: 'run.running' });
  return true;
}

/** `detail`: what broke, where something did. */
function settle(run: LiveRun, ending: Ending, detail = ''): false {
  const { state } = run;
  const completed = ending.state === 'completed';
  const last = state.messages.at(-1);
  const answer = completed && last?.role === 'assistant' ? last.text.trim() : writtenSoFar(state);
  run.giveSlot();
  const settled: RunEventBody = {
    type: 'run.settled',
    state: ending.state,
    reason: ending.reason,
    ending: state.endings + 1,
    answer,
    partial: !completed && answer !== '',
    message: `${describeEnding(state, ending)} ${detail}`.trim(),
    active_ms: run.active.elapsed(),
  };
  if (isRefusedAtOnce(state, ending)) run.withdraw(settled);
  else run.record(settled);
  return false;
}

/** A root whose very first call was refused for its key or its model: nothing ran. */
function isRefusedAtOnce(run: RunState, ending: Ending): boolean {
  const { fault, usage } = run;
  const isNew = run.parent_id === null && run.steps === 0 && run.endings === 0 && run.stepsWhenResumed === null;
  // A summary that was paid for is not forgotten.
  return (
    isNew &&
    usage.input + usage.output === 0 &&
    ending.reason === 'provider_refused' &&
    fault !== null &&
    isUnusable(fault)
  );
}

/** The engine's own fault, or a journal that cannot record: the run ends here, recorded if that is still possible. */
async function settleBroken(run: LiveRun, error: unknown): Promise<void> {
  run.scope.cancel({ state: 'failed', reason: 'internal' });
  const isJournal = error instanceof CodedError;
  if (!isJournal && run.state.phase !== 'ended') {
    try {
      settle(run, { state: 'failed', reason: 'internal' }, messageOf(error));
      await run.recorded();
      run.resolveEnded();
      return;
    } catch (second) {
      run.rejectEnded(second);
      return;
    }
  }
  run.rejectEnded(isJournal ? error : new CodedError('internal', messageOf(error), error));
}
