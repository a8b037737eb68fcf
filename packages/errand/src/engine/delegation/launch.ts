import { narrow } from '../../domain/authority/narrow.ts';
import { type Brief, parseBrief } from '../../domain/brief/brief.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import { wholeMessages } from '../../domain/run/whole-messages.ts';
import type { Model } from '../../ports/model.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import { renderOpening } from '../../prompts/turns.ts';
import { type DelegateCall, LiveRun } from '../loop/live-run.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { findEarlier } from './earlier-helper.ts';
import { handOver } from './hand-over.ts';

type Launched =
  | { readonly ok: true; readonly value: LiveRun | RunState }
  | { readonly ok: false; readonly error: string };

/**
 * `agent`: launches one helper and waits for its ending.
 * Order: what cannot work is refused, then the bounds are asked, then the child is made.
 */
export async function launchHelper(
  supervisor: Supervisor,
  parent: LiveRun,
  call: DelegateCall & { readonly args: unknown },
): Promise<ToolOutcome> {
  const before = call.again ? await findChild(supervisor, parent, call.callId) : null;
  if (before && hasEnded(before)) return handOver(parent, before);
  const { turn, epoch } = parent.equipment;
  const launched = before ? await supervisor.revive(before, { turn, epoch }) : await launch(supervisor, parent, call);
  if (!launched.ok) {
    // A helper that cannot go on stays interrupted, and its parent is told once, with what it had.
    if (before && isEnded(before.state)) return handOver(parent, before);
    return { status: 'refused', output: launched.error };
  }
  const child = launched.value;
  // Asked for before, and ended: the same answer again.
  if (!(child instanceof LiveRun)) return handOver(parent, child);
  // Who waits for children holds no slot.
  parent.giveSlot();
  if (parent.state.state === 'running') parent.record({ type: 'run.waiting', on: 'children' });
  const onAbort = () => supervisor.cancel(child, 'parent');
  if (call.signal.aborted) onAbort();
  else call.signal.addEventListener('abort', onAbort, { once: true });
  try {
    await child.ended;
  } finally {
    call.signal.removeEventListener('abort', onAbort);
  }
  return handOver(parent, child.state);
}

/** The helper that this call had launched before a restart, unless its ending has been taken already. */
async function findChild(supervisor: Supervisor, parent: LiveRun, callId: string): Promise<RunState | null> {
  const { journal } = supervisor.services;
  const { run_id, children, spec } = parent.state;
  const tree = await journal.records({ root_id: spec.root_id });
  const record = tree.find(
    (row) => row.parent_id === run_id && row.call_id === callId && !children.includes(row.run_id),
  );
  return record ? fold(await journal.read(record.run_id)) : null;
}

/** At rest with an ending of its own; one that only the restart interrupted goes on. */
function hasEnded(run: RunState): boolean {
  return isEnded(run.state) && run.reason !== 'restart';
}

async function launch(
  supervisor: Supervisor,
  parent: LiveRun,
  call: DelegateCall & { readonly args: unknown },
): Promise<Launched> {
  const { files, ids } = supervisor.services;
  const { spec } = parent.state;
  const brief = parseBrief(call.args);
  if (!brief.ok) return brief;
  const { resumeFrom } = brief.value;
  const earlier = resumeFrom === null ? null : await findEarlier(supervisor, parent, resumeFrom);
  if (earlier && !earlier.ok) return earlier;
  if (earlier?.value.successor) return { ok: true, value: earlier.value.successor };
  const before = earlier?.value.state;
  const role = brief.value.role ?? before?.spec.role ?? 'worker';
  const folder = brief.value.cwd === null ? spec.cwd : await files.folder(brief.value.cwd, spec.cwd);
  if (typeof folder !== 'string' && !folder.ok) return { ok: false, error: `"cwd": ${folder.error.message}` };
  const cwd = typeof folder === 'string' ? folder : folder.value;
  const authority = narrow(spec.authority, { role, readRoot: cwd });
  if (!authority.ok) return authority;
  const connection = await connect(supervisor, parent, brief.value);
  if (!connection.ok) return connection;
  const { full } = supervisor;
  if (full) return { ok: false, error: full };
  const { turn } = parent.equipment;
  if (!turn.take()) return { ok: false, error: turnUsedUp(turn.used, turn.max) };
  const child = await supervisor.create(
    {
      run_id: ids('run'),
      parent,
      turn,
      connection: connection.value,
      session_id: spec.session_id,
      call_id: call.callId,
      depth: spec.depth + 1,
      role,
      title: brief.value.title,
      task: brief.value.task,
      model: connection.value.name,
      asked_model: brief.value.model,
      model_from: brief.value.model ? 'call' : 'parent',
      effort: spec.effort,
      window: connection.value.window ?? null,
      authority: authority.value,
      limits: spec.helper_limits,
      helper_limits: spec.helper_limits,
      max_per_turn: turn.max,
      cwd,
      opening: renderOpening(brief.value),
      ...(before ? { resumed_from: before.run_id, prefix: wholeMessages(before) } : {}),
    },
    () => call.signal.aborted,
  );
  return child ? { ok: true, value: child } : { ok: false, error: 'The run was stopped before this helper began.' };
}

/** A helper inherits its parent's model, credentials and all; another one is connected at launch and never replaced in silence. */
async function connect(
  supervisor: Supervisor,
  parent: LiveRun,
  brief: Brief,
): Promise<{ ok: true; value: Model } | { ok: false; error: string }> {
  if (brief.model === null || brief.model === parent.equipment.model.name)
    return { ok: true, value: parent.equipment.model };
  const connected = await supervisor.services.models.connect(brief.model);
  return connected.ok ? connected : { ok: false, error: `"model": ${connected.error}` };
}

function turnUsedUp(used: number, max: number): string {
  return max === 0
    ? 'This turn may launch no helpers (max_per_turn is 0). Do the work yourself.'
    : `This turn has used ${used} of its ${max} helpers, those launched by helpers included. Go on with what you have and do the rest yourself; a person can raise the limit with --max-helpers or limits.max_per_turn.`;
}
