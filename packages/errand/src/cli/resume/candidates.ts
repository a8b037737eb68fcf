import { EXIT } from '../../app/exit-codes.ts';
import { limitInTheWay } from '../../app/limit-in-the-way.ts';
import { raised } from '../../app/raises.ts';
import { messageOf } from '../../base/errors.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import { storeFailure } from '../around/failure.ts';
import type { CommandRuntime } from '../around/surroundings.ts';
import { gone } from '../find-run.ts';
import type { Left } from './outcomes.ts';

/** A root that can go on, under these bounds. */
export interface Candidate {
  readonly record: RunRecord;
  readonly limits: RunLimits;
}

/** The roots that are interrupted or queued, in order of creation: those that can go on, and those that are left as they are. */
export async function findCandidates(
  runtime: CommandRuntime,
  raises: Partial<RunLimits>,
): Promise<readonly (Candidate | Left)[]> {
  const found: (Candidate | Left)[] = [];
  for (const record of await runtime.records()) {
    if (record.parent_id !== null || (record.state !== 'interrupted' && record.state !== 'queued')) continue;
    found.push(await look(runtime, record, raises));
  }
  return found;
}

/** What is stored about one run may be damaged; the others go on. */
async function look(runtime: CommandRuntime, record: RunRecord, raises: Partial<RunLimits>): Promise<Candidate | Left> {
  try {
    const events = await runtime.events(record.run_id);
    // What was deleted meanwhile is well, as it is when it goes on.
    if (events.length === 0) return { record, message: gone(record).message, exit: EXIT.completed };
    const obstacle = limitInTheWay(events, raises);
    if (obstacle !== null) return { record, message: obstacle, exit: EXIT.interrupted };
    return { record, limits: raised(fold(events).limits, raises) };
  } catch (error) {
    return { record, message: messageOf(error), exit: storeFailure(error)?.exit ?? EXIT.failed };
  }
}
