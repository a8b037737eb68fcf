import { EXIT } from '../../app/exit-codes.ts';
import type { OutputFormat } from '../../app/options.ts';
import { Failure } from '../around/failure.ts';
import { settingsOf, withService } from '../around/open.ts';
import type { Surroundings } from '../around/surroundings.ts';
import { findRun, ofConversation } from '../find-run.ts';
import { goAndFollow, refusal } from './follow.ts';

export interface ForkCommand {
  readonly run: string;
  /** `--from` and `--model` as they were written. */
  readonly from: string;
  readonly model: string | boolean | undefined;
  readonly format: OutputFormat;
  readonly around: Surroundings;
}

/** Tries a recorded run again from one of its steps, in its folder, and returns the exit code of table D. */
export async function forkRun({ run, from, model, format, around }: ForkCommand): Promise<number> {
  if (!/^\d{1,9}$/u.test(from)) {
    throw new Failure(EXIT.usage, `--from takes a number of steps to keep, 0 or more, not "${from}".`);
  }
  const record = await withService(around, 'read', ({ runtime }) => findRun(runtime, run));
  const settings = await settingsOf(around, { '--cwd': record.cwd, '--model': model });
  const chosen = model === undefined ? null : settings.model;
  if (chosen && !chosen.ok) throw new Failure(chosen.error.exit, chosen.error.message);
  const request = {
    runId: record.run_id,
    step: Number(from),
    ...(chosen ? { model: chosen.value.name } : {}),
  };
  return goAndFollow({
    around,
    settings,
    format,
    silent: false,
    async begin(runtime) {
      const forked = await ofConversation(record, runtime.fork(request));
      if (!forked.ok) throw refusal(forked.error);
      return forked.value;
    },
  });
}
