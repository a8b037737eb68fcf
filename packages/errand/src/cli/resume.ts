import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { RAISES } from '../app/raises.ts';
import { Failure } from './around/failure.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addDisplayFlags, flagsOf, placeholderOf } from './flags.ts';

/** `errand resume <run>`: goes on with a run and waits for its answer. */
export function addResume(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('resume')
    .summary('go on with a run and print its answer')
    .description(
      'Goes on with an interrupted or queued run, as the same run. One that has ended is gone on with by a new run, which begins with its transcript; asked again, by the same one.',
    )
    .argument('[run]', 'its id, the beginning of its id, or its title')
    .addOption(new Option('--all', 'go on with every interrupted or queued root run'));
  for (const { flag, value, help } of RAISES) {
    command.addOption(new Option(`${flag}${placeholderOf(value)}`, `${help} [default: as it is]`));
  }
  command.addOption(
    new Option('--message <text>', 'what the run after one that has ended is told [default: to go on]'),
  );
  addDisplayFlags(command);
  command.addHelpText('after', HELP);
  command.action(async (run: string | undefined) => {
    const flags = flagsOf(command);
    const all = flags['--all'] === true;
    if (all === (run !== undefined)) {
      throw new Failure(EXIT.usage, 'say which run is to go on: errand resume <run>, or errand resume --all.');
    }
    if (run === undefined) {
      const { resumeAll } = await import('./resume/resume-all.ts');
      ending.exit = await resumeAll({ flags, around });
    } else {
      const { resumeRun } = await import('./resume/resume-run.ts');
      ending.exit = await resumeRun({ run, flags, around });
    }
  });
}

const HELP = `
A bound is only ever raised. A run that has reached one needs the flag for it; --all leaves such runs as they are without.
Times are in seconds, or such as 30s, 5m, 1h.

With --all the runs of a folder work together, and the answers come at the end, each under its title. json prints
{"type":"results","results":[...],"skipped":[{"run_id","title","message"}]}; stream-json each run's events, its result when it
is at rest, and that object as the last line.

Exit codes: those of errand run, as the run that went on ended; with --all, the worst of them: 130 and 143 (signals), 1 (failed),
4 (no usable model or configuration), 5 (stopped), 3 (interrupted, or left as it is at its limit), 0.`;
