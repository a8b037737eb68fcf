import type { RunRecord } from '../../domain/run/record.ts';
import { type CancelReason, isEnded } from '../../domain/run/status.ts';
import type { StopAnswer } from '../../ports/runtime.ts';
import type { Services } from '../services.ts';
import { bootsById, isAbandoned, settleTree } from './recover.ts';
import { takeOver } from './take-over.ts';

/** Stops a run that lives in another process: its owner is asked, or, when that is proven dead, the record is settled here. */
export async function stopElsewhere(services: Services, runId: string, reason: CancelReason): Promise<StopAnswer> {
  const { journal } = services;
  const record = await journal.record(runId);
  if (!record) return { kind: 'not_found' };
  if (isEnded(record.state)) return { kind: 'at_rest', record };
  if (isAbandoned(services, await bootsById(services), record)) return settleAbandoned(services, record, reason);
  await journal.sendCommand(record.boot_id, { kind: 'cancel', run_id: runId, reason });
  return waitForRest(services, runId);
}

function waitForRest(services: Services, runId: string): Promise<StopAnswer> {
  const { journal, clock, limits } = services;
  return new Promise((resolve, reject) => {
    const finish = (answer: StopAnswer) => {
      timer.cancel();
      stopObserving();
      resolve(answer);
    };
    const look = () => {
      journal.record(runId).then((record) => {
        if (record && isEnded(record.state)) finish({ kind: 'stopped', record });
      }, reject);
    };
    const timer = clock.timer(limits.stop_grace_ms * 2, () => finish({ kind: 'no_answer' }));
    const stopObserving = journal.observe(look);
    look();
  });
}

/** Settles a run and all below it, whose process is gone. */
async function settleAbandoned(services: Services, record: RunRecord, reason: CancelReason): Promise<StopAnswer> {
  const { journal, bootId } = services;
  const claimed = await takeOver(services, record.root_id);
  if (!claimed.ok) return { kind: 'no_answer' };
  const inside = new Set([record.run_id]);
  for (const row of await journal.records({ root_id: record.root_id })) {
    if (row.parent_id !== null && inside.has(row.parent_id)) inside.add(row.run_id);
  }
  await settleTree(services, record.root_id, {
    epoch: claimed.epoch,
    endingOf: (row) =>
      inside.has(row.run_id) ? { state: 'cancelled', reason: row.run_id === record.run_id ? reason : 'parent' } : null,
  });
  await journal.release(record.root_id, bootId);
  const settled = await journal.record(record.run_id);
  return settled ? { kind: 'stopped', record: settled } : { kind: 'not_found' };
}
