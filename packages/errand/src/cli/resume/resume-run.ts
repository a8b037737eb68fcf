import { EXIT } from '../../app/exit-codes.ts';
import type { ResumeRequest } from '../../app/face.ts';
import { limitInTheWay } from '../../app/limit-in-the-way.ts';
import { raised } from '../../app/raises.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import { isTerminal } from '../../domain/run/status.ts';
import { printable } from '../../terminal/text.ts';
import { stateInWords } from '../../terminal/words.ts';
import { Failure } from '../around/failure.ts';
import { type Flags, settingsOf, withService } from '../around/open.ts';
import type { CommandRuntime, Surroundings } from '../around/surroundings.ts';
import { eventsOf, findRun } from '../find-run.ts';
import { formatOf, goAndFollow, isSilent, refusal } from '../run/follow.ts';
import { displayFlags, raisesOf } from './resume-flags.ts';

export interface ResumeCommand {
  readonly run: string;
  readonly flags: Flags;
  readonly around: Surroundings;
}

/** Goes on with one run, shows it to its end and returns the exit code of table D. */
export async function resumeRun({ run, flags, around }: ResumeCommand): Promise<number> {
  const raises = raisesOf(flags);
  const message = textOf(flags['--message']);
  // Looked at first: what cannot go on is refused before anything is recorded.
  const found = await withService(around, 'read', ({ runtime }) => lookUp(runtime, { run, raises, message }));
  const settings = await settingsOf(around, displayFlags(flags, found.record.cwd));
  let since = Number.POSITIVE_INFINITY;
  return goAndFollow({
    around,
    settings,
    format: formatOf(settings),
    silent: isSilent(settings),
    since: () => since,
    async begin(runtime) {
      const resumed = await runtime.resume(found.request);
      if (!resumed.ok) throw refusal(resumed.error);
      since = around.clock.now();
      const remark = remarkOn(found, resumed.value.run_id);
      if (remark) around.stderr.write(`errand: ${remark}\n`);
      return resumed.value;
    },
  });
}

interface Found {
  readonly record: RunRecord;
  /** The run that went on after it had ended, if one did. */
  readonly successor: RunRecord | null;
  readonly request: ResumeRequest;
}

interface Wanted {
  readonly run: string;
  readonly raises: Partial<RunLimits>;
  readonly message: string | null;
}

async function lookUp(runtime: CommandRuntime, { run, raises, message }: Wanted): Promise<Found> {
  const { record, runId } = await find(runtime, run);
  const { run_id } = record;
  if (message !== null && !isTerminal(record.state)) {
    const why = `${run_id} is ${stateInWords(record)}, and goes on where it stood`;
    throw new Failure(EXIT.usage, `--message is for a run that has ended: ${why}; leave it out.`);
  }
  const successor = isTerminal(record.state) && runId === run_id ? await successorOf(runtime, run_id) : null;
  const goesOn = successor ?? record;
  const events = await eventsOf(runtime, goesOn);
  const obstacle = limitInTheWay(events, raises);
  if (obstacle !== null) throw new Failure(EXIT.usage, obstacle);
  const limits = Object.keys(raises).length > 0 ? { limits: raised(fold(events).limits, raises) } : {};
  return { record, successor, request: { runId, ...limits, ...(message === null ? {} : { message }) } };
}

/** The run that was named, and its id; where it has been deleted, the one that goes on from it. */
async function find(runtime: CommandRuntime, run: string): Promise<{ record: RunRecord; runId: string }> {
  try {
    const record = await findRun(runtime, run);
    return { record, runId: record.run_id };
  } catch (error) {
    const next = await successorOf(runtime, run.trim());
    if (!next) throw error;
    return { record: next, runId: run.trim() };
  }
}

async function successorOf(runtime: CommandRuntime, runId: string): Promise<RunRecord | null> {
  const [successor] = await runtime.records({ resumedFrom: runId });
  return successor ?? null;
}

/** What is to be said where another run than the one that was named goes on. */
function remarkOn({ record, successor, request }: Found, goesOn: string): string | null {
  if (goesOn === record.run_id) return null;
  const had = `${record.run_id} "${printable(record.title)}" had ended (${stateInWords(record)})`;
  if (successor === null) return `${had}: a new run, ${goesOn}, goes on from its transcript.`;
  const unsaid = request.message === undefined ? '' : ' It has its own message, and is not told this one.';
  return `${had} and was gone on with before, by ${goesOn}.${unsaid}`;
}

function textOf(flag: Flags[string]): string | null {
  if (flag === undefined) return null;
  const text = String(flag).trim();
  if (text === '') throw new Failure(EXIT.usage, '--message takes a text, not an empty one.');
  return text;
}
