import type { Settings } from '../../app/config/settings.ts';
import { EXIT, exitOfRefusal, exitOfResult } from '../../app/exit-codes.ts';
import { type ResumeRefusal, type RunHandle, START_REFUSALS, type StartRefusal } from '../../app/face.ts';
import { OUTPUT_FORMATS, type OutputFormat } from '../../app/options.ts';
import { messageOf } from '../../base/errors.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { Failure, oneLine, storeFailure } from '../around/failure.ts';
import { openService } from '../around/open.ts';
import type { CommandRuntime, Surroundings } from '../around/surroundings.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { TreeFeed } from '../tree-feed.ts';
import { answeredHelpers } from './answered-helpers.ts';
import { Interruption } from './interruption.ts';
import { createPresenter, remarkOn } from './presenter.ts';
import { createProgress, type Progress, setApart } from './progress.ts';

/** How a run is set going, and how it is shown. */
export interface Going {
  readonly around: Surroundings;
  readonly settings: Settings;
  readonly format: OutputFormat;
  readonly silent: boolean;
  /** Sets it going; throws a Failure where it is refused. */
  readonly begin: (runtime: CommandRuntime) => Promise<RunHandle>;
  /** What was recorded before this time gets no line of progress. */
  readonly since?: () => number;
}

/** Sets a run going and shows it until it is at rest, then its answer; returns the exit code of table D. */
export async function goAndFollow({ around, settings, format, silent, begin, since }: Going): Promise<number> {
  const interruption = new Interruption(around);
  try {
    // Loaded before the start, so that nothing lies between it and listening.
    const progress = await createProgress(around, { silent, ...(since ? { since } : {}) });
    const { runtime, close } = await openService(around, settings, 'run');
    try {
      return await follow({ handle: await begin(runtime), runtime, format, silent, progress, around, interruption });
    } finally {
      await close();
    }
  } finally {
    interruption.release();
  }
}

interface Following extends Pick<Going, 'around' | 'format' | 'silent'> {
  readonly handle: RunHandle;
  readonly runtime: CommandRuntime;
  readonly progress: Progress;
  readonly interruption: Interruption;
}

async function follow(following: Following): Promise<number> {
  const { handle, runtime, format, silent, progress, around, interruption } = following;
  const presenter = createPresenter(format, around.stdout);
  interruption.attach(() => handle.cancel('signal'), progress.remark);
  // Whoever started this has gone: nobody is left to answer to.
  around.stdout.onClosed(() => handle.cancel('session_end'));
  const show = (events: readonly RunEvent[]) => {
    progress.events(events);
    presenter.events(events);
  };
  const result = await watch({ handle, runtime, show, hear: progress.text }).catch((error: unknown) => {
    progress.withdraw();
    throw error;
  });
  progress.finish();
  const remark = remarkOn(result, await howToGoOn(runtime, result));
  if (remark) around.stderr.write(`${oneLine(remark)}\n`);
  for (const line of await answeredHelpers(runtime, result)) around.stderr.write(`${line}\n`);
  if (format === 'text' && result.answer !== '') setApart(around, silent);
  presenter.result(result);
  return exitOfResult(result, interruption.signal);
}

/** Tells a run's events, each once, until it is at rest and all are told. Throws a Failure when it was withdrawn or broke off. */
export async function watch(watched: {
  readonly handle: RunHandle;
  readonly runtime: CommandRuntime;
  readonly show: (events: readonly RunEvent[]) => void;
  /** The run's own text as it streams. */
  readonly hear: (runId: string, delta: string) => void;
}): Promise<RunResult> {
  const { handle, runtime, show, hear } = watched;
  const feed = new TreeFeed(runtime, show);
  const stopListening = handle.observe((events) => feed.accept(events));
  const stopHearing = handle.observeText(hear);
  try {
    const [result] = await Promise.all([handle.result, feed.complete([handle.run_id])]);
    // Nothing that was recorded is missing before the last line.
    const runs = [result.run_id, ...result.helpers.map(({ run_id }) => run_id)];
    await feed.complete(runs.filter((runId) => !feed.isOver(runId)));
    return result;
  } catch (error) {
    const what = `the run ${handle.run_id} broke off`;
    const failure = storeFailure(error, what) ?? (isRefusal(error) ? refusal(error) : null);
    throw failure ?? new Failure(EXIT.failed, `${what}: ${messageOf(error)}`, error);
  } finally {
    stopListening();
    stopHearing();
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
