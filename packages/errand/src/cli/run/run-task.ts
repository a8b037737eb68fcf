import type { Settings } from '../../app/config/settings.ts';
import { EXIT, exitOfRefusal, exitOfResult } from '../../app/exit-codes.ts';
import { type RunHandle, START_REFUSALS, type StartRefusal } from '../../app/face.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../app/options.ts';
import { messageOf } from '../../base/errors.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { Failure, oneLine } from '../around/failure.ts';
import { type Flags, openService, settingsOf } from '../around/open.ts';
import type { Service, Surroundings } from '../around/surroundings.ts';
import { TreeFeed } from '../tree-feed.ts';
import { Interruption } from './interruption.ts';
import { createPresenter, type Presenter, remarkOn } from './presenter.ts';
import { createProgress, type Progress } from './progress.ts';
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
  const silent = settings.set.get('quiet')?.value === true || format === 'stream-json';
  const interruption = new Interruption(around);
  try {
    // Loaded before the start, so that nothing lies between it and listening.
    const progress = await createProgress(around, silent);
    const service = await openService(around, settings, 'run');
    try {
      const started = await service.runtime.start(request);
      if (!started.ok) throw refusal(started.error);
      return await follow({ handle: started.value, service, format, progress, around, interruption });
    } finally {
      await service.close();
    }
  } finally {
    interruption.release();
  }
}

interface Following {
  readonly handle: RunHandle;
  readonly service: Service;
  readonly format: OutputFormat;
  readonly progress: Progress;
  readonly around: Surroundings;
  readonly interruption: Interruption;
}

/** Shows a run until it is at rest, then its answer. */
async function follow({ handle, service, format, progress, around, interruption }: Following): Promise<number> {
  const presenter = createPresenter(format, around.stdout);
  interruption.attach(() => handle.cancel('signal'), progress.remark);
  // Whoever started this has gone: nobody is left to answer to.
  around.stdout.onClosed(() => handle.cancel('session_end'));
  const result = await resultOf({ handle, service, presenter, progress });
  progress.finish();
  const remark = remarkOn(result);
  if (remark) around.stderr.write(`${oneLine(remark)}\n`);
  presenter.result(result);
  return exitOfResult(result, interruption.signal);
}

async function resultOf(shown: {
  readonly handle: RunHandle;
  readonly service: Service;
  readonly presenter: Presenter;
  readonly progress: Progress;
}): Promise<RunResult> {
  const { handle, service, presenter, progress } = shown;
  const feed = new TreeFeed(service.runtime, (events) => {
    progress.events(events);
    presenter.events(events);
  });
  const stopListening = handle.observe((events) => feed.accept(events));
  try {
    const [result] = await Promise.all([handle.result, feed.complete([handle.run_id])]);
    // Nothing that was recorded is missing before the last line.
    const runs = [result.run_id, ...result.helpers.map(({ run_id }) => run_id)];
    await feed.complete(runs.filter((runId) => !feed.hasEnded(runId)));
    return result;
  } catch (error) {
    progress.withdraw();
    if (isRefusal(error)) throw refusal(error);
    throw new Failure(EXIT.failed, `the run ${handle.run_id} broke off: ${messageOf(error)}`, error);
  } finally {
    stopListening();
  }
}

function formatOf(settings: Settings): OutputFormat {
  const given = settings.set.get('output-format')?.value;
  return OUTPUT_FORMATS.find((format) => format === given) ?? 'text';
}

function isRefusal(error: unknown): error is StartRefusal {
  return error instanceof Object && 'code' in error && START_REFUSALS.some((code) => code === error.code);
}

function refusal(error: StartRefusal): Failure {
  return new Failure(exitOfRefusal(error), error.message, error);
}
