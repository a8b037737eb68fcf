import { isDamaged, isSwept } from '../../app/store-fault.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { printable } from '../../terminal/text.ts';
import { stateInWords } from '../../terminal/words.ts';
import type { CommandRuntime } from '../around/surroundings.ts';

/** Helpers that are listed. */
const LISTED = 20;

/** How to read what helpers had answered when their root did not complete, one line each; of one that did: none. */
export async function answeredHelpers(
  runtime: Pick<CommandRuntime, 'events'>,
  result: Pick<RunResult, 'state' | 'helpers'>,
): Promise<readonly string[]> {
  if (result.state === 'completed') return [];
  const lines: string[] = [];
  let more = 0;
  for (const helper of result.helpers) {
    const last = await lastOf(runtime, helper.run_id);
    if (last?.type !== 'run.settled' || last.answer === '') continue;
    if (lines.length === LISTED) more++;
    else lines.push(`errand show ${helper.run_id}   # ${printable(helper.title)}: ${stateInWords(last)}`);
  }
  return more === 0 ? lines : [...lines, `errand ps   # and ${more} more`];
}

/** The last event of a run; undefined: there is none that can be read. */
async function lastOf(runtime: Pick<CommandRuntime, 'events'>, runId: string): Promise<RunEvent | undefined> {
  try {
    return (await runtime.events(runId)).at(-1);
  } catch (error) {
    if (isSwept(error) || isDamaged(error)) return undefined;
    throw error;
  }
}
