import { messageOf } from '../../base/errors.ts';
import { followingId } from '../../base/ids.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { narrow } from '../../domain/authority/narrow.ts';
import { type Brief, parseBrief } from '../../domain/brief/brief.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import type { Model } from '../../ports/model.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import { renderOpening } from '../../prompts/turns.ts';
import { type DelegateCall, LiveRun } from '../loop/live-run.ts';
import { prefixFrom } from '../supervisor/prefix.ts';
import { readKept, settleTree } from '../supervisor/recover.ts';
import { lineBehind } from '../supervisor/resume.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { findEarlier } from './earlier-helper.ts';
import { handOver } from './hand-over.ts';

type Launched = Result<LiveRun | RunState, string>;

/**
 * `agent`: launches one helper and waits for its ending.
 * Order: what cannot work is refused, then the bounds are asked, then the child is made.
 */
export async function launchHelper(
  supervisor: Supervisor,
  parent: LiveRun,
  call: DelegateCall & { readonly args: unknown },
): Promise<ToolOutcome> {
  const taken = call.again ? await takeUp(supervisor, parent, call) : null;
  const launched = taken ?? (await launch(supervisor, parent, call));
  if (!launched.ok) return { status: 'refused', output: launched.error };
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

/** The helper that this call had launched before a restart, going on where it had not ended; null: there is none, or its ending has been taken already. */
function takeUp(supervisor: Supervisor, parent: LiveRun, call: DelegateCall): Promise<Launched | null> {
  const { journal } = supervisor.services;
  const { run_id, children, spec } = parent.state;
  return supervisor.inLine(spec.root_id, async () => {
    const tree = await journal.records({ root_id: spec.root_id });
    const record = tree.find(
      (row) => row.parent_id === run_id && row.call_id === call.callId && !children.includes(row.run_id),
    );
    if (!record) return lost(supervisor, parent, call.callId);
    const live = supervisor.find(record.run_id);
    if (live) return succeed(live);
    const state = await readKept(journal, record.run_id);
    if (typeof state === 'string') return fail(cannotBeRead(record.run_id));
    if (hasEnded(state)) return succeed(state);
    const { turn, epoch } = parent.equipment;
    const revived = await supervisor.revive(state, { turn, epoch }).catch((error: unknown) => fail(messageOf(error)));
    if (revived.ok) return revived;
    // A helper that cannot go on stays interrupted, and its parent is told once, with what it had; one that had not begun is over.
    if (isEnded(state.state)) return succeed(state);
    const { services } = supervisor;
    const over = (row: RunRecord) =>
      row.run_id === record.run_id ? ({ state: 'cancelled', reason: 'parent' } as const) : null;
    await settleTree(services, spec.root_id, { epoch, endingOf: over });
    return revived;
  });
}

/** A helper of which nothing can be read: what it has done is paid for, and not done again behind the parent's back. */
async function lost(supervisor: Supervisor, parent: LiveRun, callId: string): Promise<Launched | null> {
  const { run_id, children, spec } = parent.state;
  const unreadable = await supervisor.services.journal.unreadable(spec.root_id);
  const run = unreadable.find(
    (known) => known.parent_id === run_id && known.call_id === callId && !children.includes(known.run_id),
  );
  return run ? fail(cannotBeRead(run.run_id)) : null;
}

function cannotBeRead(runId: string): string {
  return `The helper ${runId} that this call had launched cannot be read any more: it is damaged on disk, or was deleted. It may have done its work, or parts of it. Do the work yourself, or launch a new helper that begins by looking at what is there.`;
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
  const brief = parseBrief(call.args);
  if (!brief.ok) return brief;
  const { resumeFrom } = brief.value;
  if (resumeFrom === null) return createHelper(supervisor, parent, { call, brief: brief.value, before: null });
  // In line with whoever asks for the same, so that there is one successor.
  return supervisor.inLine(lineBehind(resumeFrom), async () => {
    const earlier = await findEarlier(supervisor, parent, resumeFrom);
    if (!earlier.ok) return earlier;
    const { successor, state } = earlier.value;
    if (successor) return succeed(successor);
    return createHelper(supervisor, parent, { call, brief: brief.value, before: state });
  });
}

interface Wanted {
  readonly call: DelegateCall;
  readonly brief: Brief;
  /** The helper that it continues; null: none. */
  readonly before: RunState | null;
}

async function createHelper(
  supervisor: Supervisor,
  parent: LiveRun,
  { call, brief, before }: Wanted,
): Promise<Result<LiveRun, string>> {
  const { ids } = supervisor.services;
  const { spec } = parent.state;
  const role = brief.role ?? before?.spec.role ?? 'worker';
  const folder = await folderOf(supervisor, parent, { brief, before });
  if (!folder.ok) return folder;
  const cwd = folder.value;
  const authority = narrow(spec.authority, { role, readRoot: cwd });
  if (!authority.ok) return authority;
  const connection = await connect(supervisor, parent, brief);
  if (!connection.ok) return connection;
  const prefix = before ? await prefixFrom(supervisor.services, before) : [];
  const { full } = supervisor;
  if (full) return fail(full);
  const { turn } = parent.equipment;
  const child = await supervisor.create(
    {
      run_id: before ? followingId('run', before.run_id) : ids('run'),
      parent,
      turn,
      connection: connection.value,
      session_id: spec.session_id,
      call_id: call.callId,
      depth: spec.depth + 1,
      role,
      title: brief.title,
      task: brief.task,
      model: connection.value.name,
      asked_model: brief.model,
      model_from: brief.model ? 'call' : 'parent',
      effort: spec.effort,
      window: connection.value.window ?? null,
      authority: authority.value,
      limits: spec.helper_limits,
      helper_limits: spec.helper_limits,
      max_per_turn: turn.max,
      cwd,
      opening: renderOpening(brief),
      ...(before ? { resumed_from: before.run_id, prefix } : {}),
    },
    // Spent in the moment in which the helper begins, and by nothing else.
    () => !call.signal.aborted && turn.take(),
  );
  if (child) return succeed(child);
  return fail(call.signal.aborted ? 'The run was stopped before this helper began.' : turnUsedUp(turn.used, turn.max));
}

/** As asked for; else that of the helper that is continued, whose transcript speaks of it; else the parent's. */
async function folderOf(
  supervisor: Supervisor,
  parent: LiveRun,
  { brief, before }: Pick<Wanted, 'brief' | 'before'>,
): Promise<Result<string, string>> {
  const { cwd } = parent.state.spec;
  if (brief.cwd === null) return succeed(before?.spec.cwd ?? cwd);
  const folder = await supervisor.services.files.folder(brief.cwd, cwd);
  return folder.ok ? folder : fail(`"cwd": ${folder.error.message}`);
}

/** A helper inherits its parent's model, credentials and all; another one is connected at launch and never replaced in silence. */
async function connect(supervisor: Supervisor, parent: LiveRun, brief: Brief): Promise<Result<Model, string>> {
  const { model } = parent.equipment;
  if (brief.model === null || brief.model === model.name) return succeed(model);
  const connected = await supervisor.services.models.connect(brief.model);
  return connected.ok ? connected : fail(`"model": ${connected.error}`);
}

function turnUsedUp(used: number, max: number): string {
  return max === 0
    ? 'This turn may launch no helpers (max_per_turn is 0). Do the work yourself.'
    : `This turn has used ${used} of its ${max} helpers, those launched by helpers included. Go on with what you have and do the rest yourself; a person can raise the limit with --max-helpers or limits.max_per_turn.`;
}
