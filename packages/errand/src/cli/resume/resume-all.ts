import { EXIT, worstExit } from '../../app/exit-codes.ts';
import { Failure } from '../around/failure.ts';
import { type Flags, settingsOf, withService } from '../around/open.ts';
import type { Surroundings } from '../around/surroundings.ts';
import { formatOf, isSilent } from '../run/follow.ts';
import { Interruption } from '../run/interruption.ts';
import { createProgress } from '../run/progress.ts';
import { findCandidates } from './candidates.ts';
import { showOutcomes } from './outcomes.ts';
import { displayFlags, raisesOf } from './resume-flags.ts';
import { Together } from './together.ts';

export interface ResumeAllCommand {
  readonly flags: Flags;
  readonly around: Surroundings;
}

/** Goes on with every interrupted or queued root, those of one folder together; returns the worst exit code. */
export async function resumeAll({ flags, around }: ResumeAllCommand): Promise<number> {
  const raises = raisesOf(flags);
  if (flags['--message'] !== undefined) {
    throw new Failure(EXIT.usage, '--message is for one run that has ended, and not for --all: leave it out.');
  }
  const settings = await settingsOf(around, displayFlags(flags));
  const format = formatOf(settings);
  // Looked at first: where there is nothing to do, nothing is recorded.
  const found = await withService(around, 'read', ({ runtime }) => findCandidates(runtime, raises));
  const interruption = new Interruption(around);
  try {
    const began = { at: Number.POSITIVE_INFINITY };
    const progress = await createProgress(around, { silent: isSilent(settings), since: () => began.at });
    const together = new Together({ flags, around, interruption, progress, format, began });
    const outcomes = await together.goOn(found);
    progress.finish();
    showOutcomes(outcomes, { around, format, silent: isSilent(settings) });
    return worstExit(outcomes.map(({ exit }) => exit));
  } finally {
    interruption.release();
  }
}
