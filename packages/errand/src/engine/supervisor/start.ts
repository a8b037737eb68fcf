import type { Authority } from '../../domain/authority/authority.ts';
import { TASK_LENGTH, titleOf } from '../../domain/brief/brief.ts';
import type { StartRefusal, StartRequest } from '../../ports/runtime.ts';
import { Turn } from '../admission/turn.ts';
import type { LiveRun } from '../loop/live-run.ts';
import type { Supervisor } from './supervisor.ts';

type Started = { readonly ok: true; readonly value: LiveRun } | { readonly ok: false; readonly error: StartRefusal };

/** Checks a request for a root run, in the order of RUN-7, and creates the run. Nothing is created when it is refused. */
export async function startRoot(supervisor: Supervisor, request: StartRequest): Promise<Started> {
  const { files, models, limits, ids } = supervisor.services;
  const refuse = (code: StartRefusal['code'], message: string): Started => ({ ok: false, error: { code, message } });
  const task = request.task.trim();
  if (task === '') return refuse('no_task', 'There is no task: say what is to be done.');
  if (task.length > TASK_LENGTH) {
    return refuse(
      'task_too_long',
      `The task is ${task.length} characters long; ${TASK_LENGTH} at most. Put the material into files of the workspace and name them.`,
    );
  }
  const folder = await files.folder(request.cwd, request.cwd);
  if (!folder.ok) return refuse('no_folder', folder.error.message);
  const connected = await models.connect(request.model);
  if (!connected.ok) return refuse('no_model', connected.error);
  const { full } = supervisor;
  if (full) return refuse('full', full);
  const maxPerTurn = request.maxPerTurn ?? limits.max_per_turn;
  const run = await supervisor.create({
    run_id: ids('run'),
    parent: null,
    turn: new Turn(maxPerTurn),
    connection: connected.value,
    helper_limits: {
      steps: limits.helper_steps,
      tool_calls: limits.helper_tool_calls,
      wall_ms: limits.helper_wall_ms,
      ...request.helperLimits,
    },
    max_per_turn: maxPerTurn,
    session_id: request.sessionId ?? ids('ses'),
    call_id: null,
    depth: 0,
    role: 'worker',
    title: titleOf(request.title, task),
    task,
    model: connected.value.name,
    asked_model: request.askedModel ?? null,
    model_from: request.askedModel ? 'call' : 'config',
    effort: request.effort ?? null,
    window: connected.value.window ?? null,
    authority: { ...rootAuthority(folder.value, limits.max_depth), ...supervisor.services.rootAuthority },
    limits: {
      steps: limits.root_steps,
      tool_calls: Number.MAX_SAFE_INTEGER,
      wall_ms: limits.root_wall_ms,
      ...request.limits,
    },
    cwd: folder.value,
    opening: task,
  });
  if (!run) throw new Error('nothing keeps a root run from beginning');
  return { ok: true, value: run };
}

/** A root that nobody attends: it reads the workspace, and may delegate. */
function rootAuthority(root: string, depth: number): Authority {
  return {
    mode: 'plan',
    risks: ['none', 'read', 'execute', 'network'],
    allow: null,
    deny: [],
    families: null,
    read_roots: [root],
    commands: 'proven',
    network: false,
    depth_left: depth,
    unattended: true,
  };
}
