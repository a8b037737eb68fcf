import { apply, fold } from '../../domain/run/apply.ts';
import { writtenSoFar } from '../../domain/run/decide.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import { type RunRecord, recordOf } from '../../domain/run/record.ts';
import { type CancelReason, isEnded } from '../../domain/run/status.ts';
import type { StopAnswer } from '../../ports/runtime.ts';
import { describeEnding } from '../loop/describe-ending.ts';
import type { Services } from '../services.ts';

/** Stops a run that lives in another process: its owner is asked, or, when that is proven dead, the record is settled here. */
export async function stopElsewhere(services: Services, runId: string, reason: CancelReason): Promise<StopAnswer> {
  const { journal, processes } = services;
  const record = await journal.record(runId);
  if (!record) return { kind: 'not_found' };
  if (isEnded(record.state)) return { kind: 'at_rest', record };
  const owner = (await journal.boots()).find((boot) => boot.boot_id === record.boot_id);
  if (!owner || processes.ownerState(owner) === 'dead')
    return { kind: 'stopped', record: await settleAbandoned(services, record, reason) };
  await journal.sendCommand(owner.boot_id, { kind: 'cancel', run_id: runId, reason });
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

/** Settles a run and all below it, whose process is gone. Children first, so that no parent is at rest before them. */
async function settleAbandoned(services: Services, record: RunRecord, reason: CancelReason): Promise<RunRecord> {
  const { journal, clock } = services;
  const tree = await journal.records({ root_id: record.root_id });
  const inside = new Set([record.run_id]);
  const affected = tree.filter((row) => {
    if (row.parent_id !== null && inside.has(row.parent_id)) inside.add(row.run_id);
    return inside.has(row.run_id) && !isEnded(row.state);
  });
  const entries = [];
  let settled = record;
  for (const row of affected.reverse()) {
    const run = fold(await journal.read(row.run_id));
    const ending = { state: 'cancelled', reason: row.run_id === record.run_id ? reason : 'parent' } as const;
    const answer = writtenSoFar(run);
    const event: RunEvent = {
      type: 'run.settled',
      run_id: run.run_id,
      parent_id: run.parent_id,
      seq: run.seq + 1,
      at: clock.now(),
      ...ending,
      ending: run.endings + 1,
      answer,
      partial: answer !== '',
      message: describeEnding(run, ending),
      active_ms: run.activeMs,
    };
    apply(run, event);
    settled = recordOf(run);
    entries.push({ run_id: run.run_id, events: [event], record: settled });
  }
  await journal.append(entries);
  return settled;
}
