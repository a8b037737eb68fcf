import { followingId } from '../../base/ids.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isTerminal } from '../../domain/run/status.ts';
import type { Boot } from '../../ports/journal.ts';
import type { Model } from '../../ports/model.ts';
import type { ResumeRefusal, ResumeRequest } from '../../ports/runtime.ts';
import { renderGoOn } from '../../prompts/turns.ts';
import { Turn } from '../admission/turn.ts';
import { LiveRun } from '../loop/live-run.ts';
import type { Services } from '../services.ts';
import { prefixFrom } from './prefix.ts';
import { settleTree } from './recover.ts';
import type { Supervisor } from './supervisor.ts';
import { takeOver } from './take-over.ts';

/** A run that goes on, or one that is at rest and is the answer to the same request made before. */
export type Resumed =
  | { readonly ok: true; readonly value: LiveRun | RunState }
  | { readonly ok: false; readonly error: ResumeRefusal };

/**
 * Goes on with a run: an interrupted or queued one as the same run; a terminal one as a new run that begins with its transcript,
 * and as that same new run when asked again.
 */
export async function resumeRun(supervisor: Supervisor, request: ResumeRequest): Promise<Resumed> {
  const { journal } = supervisor.services;
  const record = await journal.record(request.runId);
  if (!record) {
    // One that has been deleted is known by the run that goes on from it.
    const [next] = await journal.records({ resumed_from: request.runId });
    return next ? goOnAsIs(supervisor, next, request) : notFound(request.runId);
  }
  if (!isTerminal(record.state)) return goOn(supervisor, record, request);
  // In line with whoever asks for the same in this process.
  return supervisor.inLine(lineBehind(record.run_id), async () => {
    const first = await goOnBehind(supervisor, record, request);
    // The new run of another process may have been withdrawn, with its key refused, while it was waited for.
    const isGone = !first.ok && first.error.code === 'not_found';
    return isGone ? goOnBehind(supervisor, record, request) : first;
  });
}

/** Goes on with the run that continues a terminal one, and makes it where there is none. */
async function goOnBehind(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const made = (await findSuccessor(supervisor, record)) ?? (await makeSuccessor(supervisor, record, request));
  if ('ok' in made) return made;
  if (made instanceof LiveRun) return { ok: true, value: made };
  return goOnAsIs(supervisor, made, request);
}

/** Goes on with this run and no other: one that is terminal is the answer itself. */
function goOnAsIs(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  return isTerminal(record.state) ? atRest(supervisor, record.run_id) : goOn(supervisor, record, request);
}

/** The run that goes on from a terminal one, here or on record; null: there is none. */
async function findSuccessor(supervisor: Supervisor, { run_id }: RunRecord): Promise<LiveRun | RunRecord | null> {
  const live = supervisor.findSuccessor(run_id);
  if (live) return live;
  const [first] = await supervisor.services.journal.records({ resumed_from: run_id });
  return first ?? null;
}

/** Its id follows from the old one's and is claimed before it is made, so that no two processes make one; what another has made meanwhile is the answer. */
async function makeSuccessor(
  supervisor: Supervisor,
  record: RunRecord,
  request: ResumeRequest,
): Promise<Resumed | LiveRun | RunRecord> {
  const { services, full } = supervisor;
  if (full) return refuse('full', full);
  const before = await readBefore(services, record.run_id);
  if (!before) return notFound(record.run_id);
  const connection = await services.models.connect(before.spec.model);
  if (!connection.ok) return refuse('no_model', connection.error);
  const runId = followingId('run', record.run_id);
  const letGo = supervisor.hold(runId);
  try {
    const claimed = await takeOver(services, runId, supervisor.closing);
    // One that is damaged is named instead of being made again.
    const found = (await findSuccessor(supervisor, record)) ?? (await services.journal.record(runId));
    if (found) return found;
    if (!claimed.ok) return refuse('running', isBeingMade(record.run_id, claimed.holder));
    const run = await continueFrom(supervisor, before, {
      request,
      runId,
      epoch: claimed.epoch,
      connection: connection.value,
    });
    return (await isOnRecord(run)) ? run : await overtaken(supervisor, record, run);
  } finally {
    letGo();
  }
}

/** Null: it has been deleted meanwhile. */
async function readBefore({ journal }: Services, runId: string): Promise<RunState | null> {
  const events = await journal.read(runId);
  return events.length === 0 ? null : fold(events);
}

interface Successor {
  readonly request: ResumeRequest;
  readonly runId: string;
  readonly epoch: number;
  readonly connection: Model;
}

/** A new run, linked to a terminal one, that starts with its transcript and everything that was decided about it. */
async function continueFrom(supervisor: Supervisor, before: RunState, made: Successor): Promise<LiveRun> {
  const { request, runId, epoch, connection } = made;
  const { spec } = before;
  const run = await supervisor.create({
    ...spec,
    run_id: runId,
    epoch,
    parent: null,
    turn: new Turn(spec.max_per_turn),
    connection,
    call_id: null,
    depth: 0,
    window: connection.window ?? null,
    limits: { ...before.limits, ...request.limits },
    opening: request.message?.trim() || renderGoOn(),
    resumed_from: before.run_id,
    prefix: await prefixFrom(supervisor.services, before),
  });
  if (!run) throw new Error('nothing keeps a root run from beginning');
  return run;
}

/** Before anybody else may look for it. */
async function isOnRecord(run: LiveRun): Promise<boolean> {
  try {
    await run.recorded();
    return true;
  } catch {
    return false;
  }
}

/** Another process took this one for dead and made it; or the store failed, and the run itself tells of it. */
async function overtaken(supervisor: Supervisor, record: RunRecord, run: LiveRun): Promise<LiveRun | RunRecord> {
  const [made] = await supervisor.services.journal.records({ resumed_from: record.run_id });
  return made ?? run;
}

/** The line of those who want the successor of a run. */
export function lineBehind(runId: string): string {
  return `behind ${runId}`;
}

/** In line with all else that sets runs of this tree going. */
function goOn(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const { root_id } = record;
  return supervisor.inLine(root_id, async () => {
    const letGo = supervisor.hold(root_id);
    try {
      return await claimAndRevive(supervisor, record, request);
    } finally {
      letGo();
    }
  });
}

async function claimAndRevive(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const { services, full } = supervisor;
  const { journal } = services;
  const { run_id, root_id } = record;
  if (supervisor.find(run_id)) return refuse('running', `${run_id} runs already, in this process.`);
  if (full) return refuse('full', full);
  const claimed = await takeOver(services, root_id, supervisor.closing);
  if (!claimed.ok) return refuse('running', isAtWork(run_id, claimed.holder));
  const { epoch } = claimed;
  await settleTree(services, root_id, {
    epoch,
    // What lives here is at work, and no process has left it behind.
    endingOf: (row) => (supervisor.find(row.run_id) ? null : { state: 'interrupted', reason: 'restart' }),
  });
  const state = await readBefore(services, run_id);
  if (!state) return notFound(run_id);
  if (isTerminal(state.state)) return { ok: true, value: state };
  const [known, unreadable] = [await journal.records({ root_id }), await journal.unreadable(root_id)];
  const used = known.length + unreadable.length - 1;
  const turn = supervisor.turnOf(root_id) ?? new Turn(state.spec.max_per_turn, used);
  const revived = await supervisor.revive(state, { turn, epoch, limits: { ...state.limits, ...request.limits } });
  return revived.ok ? revived : refuse('no_model', revived.error);
}

async function atRest({ services }: Supervisor, runId: string): Promise<Resumed> {
  const run = await readBefore(services, runId);
  return run ? { ok: true, value: run } : notFound(runId);
}

function isAtWork(runId: string, holder: Boot | null): string {
  return `${runId} belongs to ${nameOf(holder)}, which is at work. Wait for it, or stop the run first: errand stop ${runId}`;
}

function isBeingMade(runId: string, holder: Boot | null): string {
  return `${runId} is just being continued by ${nameOf(holder)}. Ask again in a moment.`;
}

function nameOf(holder: Boot | null): string {
  return holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
}

function notFound(runId: string): Resumed {
  return refuse('not_found', `There is no run ${runId}.`);
}

function refuse(code: ResumeRefusal['code'], message: string): Resumed {
  return { ok: false, error: { code, message } };
}
