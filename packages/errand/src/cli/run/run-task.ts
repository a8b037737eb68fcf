import { Failure } from '../around/failure.ts';
import { type Flags, settingsOf } from '../around/open.ts';
import type { Surroundings } from '../around/surroundings.ts';
import { formatOf, goAndFollow, isSilent, refusal } from './follow.ts';
import { readTask } from './read-task.ts';
import { startRequestOf } from './start-request.ts';

export interface RunCommand {
  readonly task: string | undefined;
  readonly flags: Flags;
  readonly around: Surroundings;
}

/** Runs a task to its end and returns the exit code of table D. */
export async function runTask({ task: argument, flags, around }: RunCommand): Promise<number> {
  const settings = await settingsOf(around, flags);
  const task = await readTask(argument, around.stdin);
  if (!settings.model.ok) throw new Failure(settings.model.error.exit, settings.model.error.message);
  const request = startRequestOf(task, settings, settings.model.value);
  return goAndFollow({
    around,
    settings,
    format: formatOf(settings),
    silent: isSilent(settings),
    async begin(runtime) {
      const started = await runtime.start(request);
      if (!started.ok) throw refusal(started.error);
      return started.value;
    },
  });
}
