import { Failure } from '../around/failure.ts';
import { type Flags, openService, settingsOf } from '../around/open.ts';
import type { Surroundings } from '../around/surroundings.ts';
import { follow, formatOf, isSilent, refusal } from './follow.ts';
import { Interruption } from './interruption.ts';
import { createProgress } from './progress.ts';
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
  const format = formatOf(settings);
  const interruption = new Interruption(around);
  try {
    // Loaded before the start, so that nothing lies between it and listening.
    const progress = await createProgress(around, { silent: isSilent(settings) });
    const { runtime, close } = await openService(around, settings, 'run');
    try {
      const started = await runtime.start(request);
      if (!started.ok) throw refusal(started.error);
      return await follow({ handle: started.value, runtime, format, progress, around, interruption });
    } finally {
      await close();
    }
  } finally {
    interruption.release();
  }
}
