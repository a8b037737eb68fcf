import type { Settings } from '../../app/config/settings.ts';
import { EXIT, exitOfRefusal, exitOfResult } from '../../app/exit-codes.ts';
import { type ResumeRefusal, type RunHandle, START_REFUSALS, type StartRefusal } from '../../app/face.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../app/options.ts';
import { messageOf } from '../../base/errors.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { Failure, oneLine, storeFailure } from '../around/failure.ts';
import type { CommandRuntime, Surroundings } from '../around/surroundings.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { TreeFeed } from '../tree-feed.ts';
import type { Interruption } from './interruption.ts';
import { createPresenter, remarkOn } from './presenter.ts';
import type { Progress } from './progress.ts';

/** A run that was just set going, and what shows it. */
export interface Following {
  readonly handle: RunHandle;
  readonly runtime: CommandRuntime;
  readonly format: OutputFormat;
  readonly progress: Progress;
  readonly around: Surroundings;
  readonly interruption: Interruption;
}

/** Shows a run until it is at rest, then its answer; returns the exit code of table D. */
export async function follow({ handle, runtime, format, progress, around, interruption }: Following): Promise<number> {
  const presenter = createPresenter(format, around.stdout);
  interruption.attach(() => handle.cancel('signal'), progress.remark);
  // Whoever started this has gone: nobody is left to answer to.
  around.stdout.onClosed(() => handle.cancel('session_end'));
  const show = (events: readonly RunEvent[]) => {
    progress.events(events);
    presenter.events(events);
  };
  const result = await watch({ handle, runtime, show }).catch((error: unknown) => {
    progress.withdraw();
    throw error;
  });
  progress.finish();
  const remark = remarkOn(result, await howToGoOn(runtime, result));
  if (remark) around.stderr.write(`${oneLine(remark)}\n`);
  presenter.result(result);
  return exitOfResult(result, interruption.signal);
}

/** Tells a run's events, each once, until it is at rest and all are told. Throws a Failure when it was withdrawn or broke off. */
export async function watch(watched: {
  readonly handle: RunHandle;
  readonly runtime: CommandRuntime;
  readonly show: (events: readonly RunEvent[]) => void;
}): Promise<RunResult> {
  const { handle, runtime, show } = watched;
  const feed = new TreeFeed(runtime, show);
  const stopListening = handle.observe((events) => feed.accept(events));
  try {
    const [result] = await Promise.all([handle.result, feed.complete([handle.run_id])]);
    // Nothing that was recorded is missing before the last line.
    const runs = [result.run_id, ...result.helpers.map(({ run_id }) => run_id)];
    await feed.complete(runs.filter((runId) => !feed.hasEnded(runId)));
    return result;
  } catch (error) {
    if (isRefusal(error)) throw refusal(error);
    const what = `the run ${handle.run_id} broke off`;
    throw storeFailure(error, what) ?? new Failure(EXIT.failed, `${what}: ${messageOf(error)}`, error);
  } finally {
    stopListening();
  }
}

export function formatOf(settings: Settings): OutputFormat {
  const given = settings.set.get('output-format')?.value;
  return OUTPUT_FORMATS.find((format) => format === given) ?? 'text';
}

/** Whether no progress is shown. */
export function isSilent(settings: Settings): boolean {
  return settings.set.get('quiet')?.value === true || formatOf(settings) === 'stream-json';
}

function isRefusal(error: unknown): error is StartRefusal {
  return error instanceof Object && 'code' in error && START_REFUSALS.some((code) => code === error.code);
}

export function refusal(error: StartRefusal | ResumeRefusal): Failure {
  return new Failure(exitOfRefusal(error), error.message, error);
}
