import { commandToGoOn } from '../app/raises.ts';
import { fold } from '../domain/run/apply.ts';
import type { RunResult } from '../domain/run/result.ts';
import type { CommandRuntime } from './around/surroundings.ts';

/** The command that goes on with an interrupted run, a reached bound raised; null: it is not interrupted. */
export async function howToGoOn(
  runtime: Pick<CommandRuntime, 'events'>,
  run: Pick<RunResult, 'run_id' | 'state' | 'reason'>,
): Promise<string | null> {
  if (run.state !== 'interrupted') return null;
  const events = await runtime.events(run.run_id);
  return commandToGoOn(run, events.length === 0 ? null : fold(events).limits);
}
