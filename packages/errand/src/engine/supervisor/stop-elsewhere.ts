import type { RunRecord } from '../../domain/run/record.ts';
import { type CancelReason, isEnded } from '../../domain/run/status.ts';
import type { StopAnswer } from '../../ports/runtime.ts';
import { BEAT_MS } from '../lease-time.ts';
import { bootsById, isAbandoned, settleTree } from './recover.ts';
import type { Supervisor } from './supervisor.ts';
import { takeOver } from './take-over.ts';

/** Stops a run that does not live here: its owner is asked, or, when that is proven dead, the record is settled here. */
export async function stopElsewhere(supervisor: Supervisor, runId: string, reason: CancelReason): Promise<StopAnswer> {
  const { services } = supervisor;
  const { journal, bootId } = services;
  const record = await journal.record(runId);
  if (!record) return { kind: 'not_found' };
  if (isEnded(record.state)) return { kind: 'at_rest', record };
  // One that is on record as this process's own, and does not live here, was lost with a store that failed.
  if (record.boot_id === bootId || isAbandoned(services, await bootsById(services), record))
    return settleAbandoned(supervisor, record, reason);
  await journal.sendCommand(record.boot_id, { kind: 'cancel', run_id: runId, reason });
  const answer = await waitForRest(supervisor, runId);
  // The owner may have died of something else while it was asked.
  return answer ?? settleAbandoned(supervisor, record, reason);
}

/** Null: the owner is proven dead meanwhile. */
function waitForRest({ services, closing }: Supervisor, runId: string): Promise<StopAnswer | null> {
  const { journal, clock, limits } = services;
  return new Promise<StopAnswer | null>((resolve, reject) => {
    let over = false;
    /** Ends the waiting, once; what is asked of the journal at that moment comes too late to go on with it. */
    const end = (settle: () => void) => {
      if (over) return;
      over = true;
      timer.cancel();
      pulse.cancel();
      stopObserving();
      closing.removeEventListener('abort', giveUp);
      settle();
    };
    const giveUp = () => end(() => resolve({ kind: 'no_answer' }));
    const fail = (error: unknown) => end(() => reject(error));
    const look = () => {
      journal.record(runId).then((record) => {
        if (record && isEnded(record.state)) end(() => resolve({ kind: 'stopped', record }));
      }, fail);
    };
    const timer = clock.timer(limits.stop_grace_ms * 2, giveUp);
    closing.addEventListener('abort', giveUp, { once: true });
    // A dead owner writes nothing that could be heard of: its pulse is felt as often as it should beat.
    const feel = () => {
      Promise.all([journal.record(runId), bootsById(services)]).then(([record, boots]) => {
        if (record && isAbandoned(services, boots, record)) end(() => resolve(null));
        else if (!over) pulse = clock.timer(BEAT_MS, feel);
      }, fail);
    };
    let pulse = clock.timer(BEAT_MS, feel);
    const stopObserving = journal.observe(look);
    look();
  });
}

/** Settles a run and all below it, whose process is gone; in line with whoever would set them going. */
function settleAbandoned(supervisor: Supervisor, record: RunRecord, reason: CancelReason): Promise<StopAnswer> {
  return supervisor.inLine(record.root_id, () => settleBelow(supervisor, record, reason));
}

async function settleBelow(supervisor: Supervisor, record: RunRecord, reason: CancelReason): Promise<StopAnswer> {
  const { services } = supervisor;
  const { journal } = services;
  const { run_id, root_id } = record;
  const letGo = supervisor.hold(root_id);
  try {
    const claimed = await takeOver(services, root_id, supervisor.closing);
    if (!claimed.ok) return { kind: 'no_answer' };
    const inside = new Set([run_id]);
    for (const row of await journal.records({ root_id })) {
      if (row.parent_id !== null && inside.has(row.parent_id)) inside.add(row.run_id);
    }
    await settleTree(services, root_id, {
      epoch: claimed.epoch,
      endingOf: (row) =>
        inside.has(row.run_id) && !supervisor.find(row.run_id)
          ? { state: 'cancelled', reason: row.run_id === run_id ? reason : 'parent' }
          : null,
    });
  } finally {
    letGo();
  }
  const settled = await journal.record(run_id);
  return settled ? { kind: 'stopped', record: settled } : { kind: 'not_found' };
}
