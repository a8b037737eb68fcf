import { fold } from '../../domain/run/apply.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { ForkRequest, ResumeRefusal } from '../../ports/runtime.ts';
import { Turn } from '../admission/turn.ts';
import type { LiveRun } from '../loop/live-run.ts';
import type { Supervisor } from './supervisor.ts';

type Forked = { readonly ok: true; readonly value: LiveRun } | { readonly ok: false; readonly error: ResumeRefusal };

/** A new root run that takes a recorded run's transcript up to a step, and goes on from there with a live model. */
export async function forkRun(supervisor: Supervisor, request: ForkRequest): Promise<Forked> {
  const { journal, ids, models } = supervisor.services;
  const events = await journal.read(request.runId);
  if (events.length === 0)
    return { ok: false, error: { code: 'not_found', message: `There is no run ${request.runId}.` } };
  const upTo = endOfStep(events, request.step);
  if (upTo === null) {
    const last = events.findLast((event) => event.type === 'model.started')?.step ?? 0;
    const message =
      last === 0
        ? `${request.runId} has not begun; start it again instead of forking it.`
        : `${request.runId} has ${last} ${last === 1 ? 'step' : 'steps'}, and a fork tries at least the last one again: keep 0 to ${last - 1} of them.`;
    return { ok: false, error: { code: 'not_found', message } };
  }
  const before = fold(events.slice(0, upTo));
  const { full } = supervisor;
  if (full) return { ok: false, error: { code: 'full', message: full } };
  const name = request.model ?? before.spec.model;
  const connected = await models.connect(name);
  if (!connected.ok) return { ok: false, error: { code: 'no_model', message: connected.error } };
  // It goes on from no run but its own prefix: whoever asks for a successor must not find it.
  const { resumed_from: _resumedFrom, ...spec } = before.spec;
  const run = await supervisor.create({
    ...spec,
    run_id: ids('run'),
    parent: null,
    turn: new Turn(spec.max_per_turn),
    connection: connected.value,
    session_id: ids('ses'),
    call_id: null,
    depth: 0,
    model: connected.value.name,
    asked_model: request.model ?? null,
    model_from: request.model ? 'call' : 'config',
    window: connected.value.window ?? null,
    opening: '',
    prefix: before.messages,
  });
  if (!run) throw new Error('nothing keeps a root run from beginning');
  return { ok: true, value: run };
}

/** How many events make up the first `step` steps, the results of their calls included; null where there are fewer. */
function endOfStep(events: readonly RunEvent[], step: number): number | null {
  let steps = 0;
  for (const [index, event] of events.entries()) {
    if (event.type === 'model.started' && steps === step) return index;
    if (event.type === 'model.finished') steps++;
  }
  return null;
}
