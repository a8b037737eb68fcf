import { fold } from '../../domain/run/apply.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isTerminal } from '../../domain/run/status.ts';
import type { Boot } from '../../ports/journal.ts';
import type { ResumeRefusal, ResumeRequest } from '../../ports/runtime.ts';
import { renderGoOn } from '../../prompts/turns.ts';
import { Turn } from '../admission/turn.ts';
import { LiveRun } from '../loop/live-run.ts';
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
  if (!record) return refuse('not_found', `There is no run ${request.runId}.`);
  if (!isTerminal(record.state)) return goOn(supervisor, record, request);
  // In line with whoever asks for the same, so that there is one successor.
  return supervisor.inLine(lineBehind(record.run_id), async () => {
    const made = (await findSuccessor(supervisor, record)) ?? (await makeSuccessor(supervisor, record, request));
    if ('ok' in made) return made;
    if (made instanceof LiveRun) return { ok: true, value: made };
    if (!isTerminal(made.state)) return goOn(supervisor, made, request);
    return { ok: true, value: fold(await journal.read(made.run_id)) };
  });
}

/** The run that goes on from a terminal one, here or on record; null: there is none. */
async function findSuccessor(supervisor: Supervisor, { run_id }: RunRecord): Promise<LiveRun | RunRecord | null> {
  const live = supervisor.findSuccessor(run_id);
  if (live) return live;
  const [first] = await supervisor.services.journal.records({ resumed_from: run_id });
  return first ?? null;
}

/** Under the lease on the old tree, so that no two processes make one; what another has made meanwhile is the answer. */
async function makeSuccessor(
  supervisor: Supervisor,
  record: RunRecord,
  request: ResumeRequest,
): Promise<Resumed | LiveRun | RunRecord> {
  const letGo = supervisor.hold(record.root_id);
  try {
    const claimed = await takeOver(supervisor.services, record.root_id);
    const found = await findSuccessor(supervisor, record);
    if (found) return found;
    if (!claimed.ok) return refuse('running', isAtWork(record.run_id, claimed.holder));
    return await continueFrom(supervisor, record, request);
  } finally {
    letGo();
  }
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
  const claimed = await takeOver(services, root_id);
  if (!claimed.ok) return refuse('running', isAtWork(run_id, claimed.holder));
  const { epoch } = claimed;
  await settleTree(services, root_id, {
    epoch,
    // What lives here is at work, and no process has left it behind.
    endingOf: (row) => (supervisor.find(row.run_id) ? null : { state: 'interrupted', reason: 'restart' }),
  });
  const state = fold(await journal.read(run_id));
  if (isTerminal(state.state)) return { ok: true, value: state };
  const used = (await journal.records({ root_id })).length - 1;
  const turn = supervisor.turnOf(root_id) ?? new Turn(state.spec.max_per_turn, used);
  const revived = await supervisor.revive(state, { turn, epoch, limits: { ...state.limits, ...request.limits } });
  return revived.ok ? revived : refuse('no_model', revived.error);
}

/** A new run, linked to a terminal one, that starts with its transcript and everything that was decided about it. */
async function continueFrom(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const { full } = supervisor;
  if (full) return refuse('full', full);
  const { journal, ids, models } = supervisor.services;
  const before = fold(await journal.read(record.run_id));
  const { spec } = before;
  const connected = await models.connect(spec.model);
  if (!connected.ok) return refuse('no_model', connected.error);
  const run = await supervisor.create({
    ...spec,
    run_id: ids('run'),
    parent: null,
    turn: new Turn(spec.max_per_turn),
    connection: connected.value,
    call_id: null,
    depth: 0,
    window: connected.value.window ?? null,
    limits: { ...before.limits, ...request.limits },
    opening: request.message?.trim() || renderGoOn(),
    resumed_from: record.run_id,
    prefix: prefixFrom(before),
  });
  if (!run) throw new Error('nothing keeps a root run from beginning');
  // On record before anybody else may look for it; a store that fails is the run's own to tell of.
  await run.recorded().catch(() => {});
  return { ok: true, value: run };
}

function isAtWork(runId: string, holder: Boot | null): string {
  const owner = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
  return `${runId} belongs to ${owner}, which is at work. Wait for it, or stop the run first: errand stop ${runId}`;
}

function refuse(code: ResumeRefusal['code'], message: string): Resumed {
  return { ok: false, error: { code, message } };
}
