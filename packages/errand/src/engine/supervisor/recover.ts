import { CodedError } from '../../base/errors.ts';
import { apply, fold } from '../../domain/run/apply.ts';
import { writtenSoFar } from '../../domain/run/decide.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import { type RunRecord, recordOf } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import { type Ending, isEnded } from '../../domain/run/status.ts';
import type { Boot, Journal, JournalEntry } from '../../ports/journal.ts';
import { LEASE_MS } from '../lease-time.ts';
import { describeEnding } from '../loop/describe-ending.ts';
import type { Services } from '../services.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * Puts in order what processes left that are proven dead: their running runs become `interrupted(restart)`, what is queued stays queued,
 * what is at rest is not touched, their slots and leases are free. Nothing is started.
 */
export async function recover(supervisor: Supervisor): Promise<void> {
  const { services } = supervisor;
  const { journal } = services;
  const live = await journal.records({ live: true });
  if (live.length > 0) {
    const boots = await bootsById(services);
    const roots = new Set(
      live.filter((record) => isAbandoned(services, boots, record)).map((record) => record.root_id),
    );
    for (const rootId of roots) await recoverTree(supervisor, rootId);
  }
  for (const boot of await journal.boots()) {
    if (services.processes.ownerState(boot) === 'dead') await journal.closeBoot(boot.boot_id);
  }
}

/**
 * Owners of runs of which this machine can prove nothing: one whose beats stand still for a lease's time is taken for dead, so that
 * neither its runs nor its slots are held for ever. Returns the way to call it off.
 */
export async function sweepSilent(supervisor: Supervisor): Promise<() => void> {
  const { services } = supervisor;
  const { journal, clock, processes, slots } = services;
  const owners = new Set(
    (await journal.records({ live: true })).filter((row) => row.state !== 'queued').map((row) => row.boot_id),
  );
  const doubtful = (await journal.boots()).filter(
    (boot) => owners.has(boot.boot_id) && processes.ownerState(boot) === 'unknown',
  );
  if (doubtful.length === 0) return () => {};
  const sweep = async () => {
    const now = await bootsById(services);
    const silent = doubtful.filter((boot) => now.get(boot.boot_id)?.beats === boot.beats);
    const gone = new Set(silent.map((boot) => boot.boot_id));
    const live = await journal.records({ live: true });
    const roots = new Set(live.filter((row) => gone.has(row.boot_id)).map((row) => row.root_id));
    for (const rootId of roots)
      await recoverTree(supervisor, rootId, (holder) => holder === null || gone.has(holder.boot_id));
    for (const bootId of gone) await journal.closeBoot(bootId);
    slots.retry();
  };
  // A store that fails now fails the runs of this process as well, and they tell of it.
  const timer = clock.timer(LEASE_MS, () => void sweep().catch(() => {}));
  return () => timer.cancel();
}

/** In line with whoever would set runs of this tree going. */
function recoverTree(
  supervisor: Supervisor,
  rootId: string,
  mayTake: (holder: Boot | null) => boolean = (holder) => isGone(supervisor.services, holder),
): Promise<void> {
  const { services } = supervisor;
  return supervisor.inLine(rootId, async () => {
    const letGo = supervisor.hold(rootId);
    try {
      const claimed = await services.journal.claim({ root_id: rootId, boot_id: services.bootId, mayTake });
      // Somebody else was quicker.
      if (!claimed.ok) return;
      await settleTree(services, rootId, {
        epoch: claimed.epoch,
        endingOf: ({ run_id }) => (supervisor.find(run_id) ? null : { state: 'interrupted', reason: 'restart' }),
      });
    } finally {
      letGo();
    }
  });
}

export interface SettleTreeOptions {
  readonly epoch: number;
  /** How a run that lives on record alone ends; null: not at all. */
  readonly endingOf: (record: RunRecord) => Exclude<Ending, { state: 'completed' }> | null;
}

/**
 * Ends runs on record that no process drives any more; children first, so that no parent is at rest before them.
 * What is damaged stays as it is, and keeps no other from its ending.
 */
export async function settleTree(services: Services, rootId: string, options: SettleTreeOptions): Promise<void> {
  const { journal, clock } = services;
  const entries: JournalEntry[] = [];
  for (const row of [...(await journal.records({ root_id: rootId }))].reverse()) {
    const wanted = isEnded(row.state) ? null : options.endingOf(row);
    const run = wanted && (await readKept(journal, row.run_id));
    if (!wanted || !run || typeof run === 'string') continue;
    // Whoever was told to stop before the process died is stopped, and does not come back.
    const ending = run.cancel ? ({ state: 'cancelled', reason: run.cancel } as const) : wanted;
    if (run.state === 'queued' && ending.state === 'interrupted') continue;
    const answer = writtenSoFar(run);
    const event: RunEvent = {
      type: 'run.settled',
      run_id: run.run_id,
      parent_id: run.parent_id,
      seq: run.seq + 1,
      at: Math.max(clock.now(), run.at),
      state: ending.state,
      reason: ending.reason,
      ending: run.endings + 1,
      answer,
      partial: answer !== '',
      message: describeEnding(run, ending),
      active_ms: run.activeMs,
    };
    apply(run, event);
    entries.push({ run_id: run.run_id, events: [event], record: recordOf(run), epoch: options.epoch });
  }
  if (entries.length > 0) await journal.append(entries);
}

/**
 * A run as its events have left it; `damaged`: they cannot be read, which is named to whoever asks for this run, and by `check`;
 * `swept`: they were deleted, as retention says.
 */
export async function readKept(journal: Journal, runId: string): Promise<RunState | 'damaged' | 'swept'> {
  let events: readonly RunEvent[];
  try {
    events = await journal.read(runId);
  } catch (error) {
    if (error instanceof CodedError && error.code === 'corrupt') return 'damaged';
    if (error instanceof CodedError && error.code === 'swept') return 'swept';
    throw error;
  }
  try {
    return fold(events);
  } catch {
    return 'damaged';
  }
}

export async function bootsById(services: Services): Promise<ReadonlyMap<string, Boot>> {
  return new Map((await services.journal.boots()).map((boot) => [boot.boot_id, boot]));
}

/** Not at rest, and the process that drove it is gone. */
export function isAbandoned(services: Services, boots: ReadonlyMap<string, Boot>, record: RunRecord): boolean {
  return !isEnded(record.state) && isGone(services, boots.get(record.boot_id) ?? null);
}

function isGone(services: Services, holder: Boot | null): boolean {
  return holder === null || services.processes.ownerState(holder) === 'dead';
}
