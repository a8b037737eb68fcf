import type { Message } from '../../domain/run/message.ts';
import type { OpenCall, RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import { type Instead, wholeMessages } from '../../domain/run/whole-messages.ts';
import { renderNoResult, renderUnknownOutcome } from '../../prompts/turns.ts';
import { retold } from '../delegation/hand-over.ts';
import type { Services } from '../services.ts';
import { readKept } from './recover.ts';

/** The transcript with which a run begins that goes on from another. */
export async function prefixFrom(services: Services, run: RunState): Promise<readonly Message[]> {
  const open = run.open.filter((call) => !call.result);
  const helpers = open.length > 0 ? await helpersOf(services, run, open) : new Map<string, RunState>();
  const { answer_characters, step_answer_characters } = services.limits;
  const limit = Math.min(answer_characters, Math.floor(step_answer_characters / Math.max(1, helpers.size)));
  const instead = open.map((call): [string, Instead] => {
    const helper = helpers.get(call.call_id);
    if (!helper) return [call.call_id, { text: withoutResult(call), error: true }];
    return [call.call_id, { text: retold(helper, limit), error: helper.state !== 'completed' }];
  });
  return wholeMessages(run, new Map(instead));
}

/** What helpers had found whose answers were never taken, by the calls that had launched them. */
async function helpersOf(
  { journal }: Services,
  run: RunState,
  open: readonly OpenCall[],
): Promise<ReadonlyMap<string, RunState>> {
  const helpers = new Map<string, RunState>();
  for (const row of await journal.records({ root_id: run.spec.root_id })) {
    if (row.parent_id !== run.run_id || row.call_id === null || !isEnded(row.state)) continue;
    if (!open.some((call) => call.call_id === row.call_id) || run.children.includes(row.run_id)) continue;
    const helper = await readKept(journal, row.run_id);
    if (typeof helper !== 'string') helpers.set(row.call_id, helper);
  }
  return helpers;
}

function withoutResult({ name, started, risk }: OpenCall): string {
  const acted = started && (risk === 'write' || risk === 'execute');
  return acted ? renderUnknownOutcome(name) : renderNoResult();
}
