import { fold } from '../../domain/run/apply.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isTerminal } from '../../domain/run/status.ts';
import { wholeMessages } from '../../domain/run/whole-messages.ts';
import type { Boot } from '../../ports/journal.ts';
import type { ResumeRefusal, ResumeRequest } from '../../ports/runtime.ts';
import { renderGoOn } from '../../prompts/turns.ts';
import { Turn } from '../admission/turn.ts';
import type { LiveRun } from '../loop/live-run.ts';
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
  const all = await journal.records();
  const successor = all.find((row) => row.resumed_from === record.run_id);
  if (!successor) return continueFrom(supervisor, record, request);
  if (!isTerminal(successor.state)) return goOn(supervisor, successor, request);
  return { ok: true, value: fold(await journal.read(successor.run_id)) };
}

async function goOn(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const { services } = supervisor;
  const { journal, bootId } = services;
  if (supervisor.find(record.run_id)) return refuse('running', `${record.run_id} runs already, in this process.`);
  const claimed = await takeOver(services, record.root_id);
  if (!claimed.ok)
    return refuse(
      'running',
      `${record.run_id} belongs to ${ownerOf(claimed.holder)}, which is at work. Wait for it, or stop the run first: errand stop ${record.run_id}`,
    );
  const { epoch } = claimed;
  await settleTree(services, record.root_id, { epoch, endingOf: () => ({ state: 'interrupted', reason: 'restart' }) });
  const state = fold(await journal.read(record.run_id));
  const { max_per_turn } = state.spec;
  const used = (await journal.records({ root_id: record.root_id })).length - 1;
  const limits = { ...state.limits, ...request.limits };
  const revived = await supervisor.revive(state, { turn: new Turn(max_per_turn, used), epoch, limits });
  if (revived.ok) return revived;
  await journal.release(record.root_id, bootId);
  return refuse('no_model', revived.error);
}

/** A new run, linked to a terminal one, that starts with its transcript and everything that was decided about it. */
async function continueFrom(supervisor: Supervisor, record: RunRecord, request: ResumeRequest): Promise<Resumed> {
  const { journal, ids, models } = supervisor.services;
  const before = fold(await journal.read(record.run_id));
  const { spec } = before;
  const connected = await models.connect(spec.model);
  if (!connected.ok) return refuse('no_model', connected.error);
  const {
    title,
    task,
    role,
    asked_model,
    model_from,
    effort,
    authority,
    helper_limits,
    max_per_turn,
    cwd,
    session_id,
    model,
  } = spec;
  const run = await supervisor.create({
    run_id: ids('run'),
    parent: null,
    turn: new Turn(max_per_turn),
    connection: connected.value,
    call_id: null,
    depth: 0,
    ...{
      title,
      task,
      role,
      model,
      asked_model,
      model_from,
      effort,
      authority,
      helper_limits,
      max_per_turn,
      cwd,
      session_id,
    },
    window: connected.value.window ?? null,
    limits: { ...before.limits, ...request.limits },
    opening: request.message?.trim() || renderGoOn(),
    resumed_from: record.run_id,
    prefix: wholeMessages(before),
  });
  return run ? { ok: true, value: run } : refuse('not_found', 'The run could not be created.');
}

function ownerOf(boot: Boot | null): string {
  return boot ? `process ${boot.pid} on ${boot.host}` : 'another process';
}

function refuse(code: ResumeRefusal['code'], message: string): Resumed {
  return { ok: false, error: { code, message } };
}
