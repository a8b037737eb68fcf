import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { Failure } from './around/failure.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { findRun, gone, ofConversation } from './find-run.ts';
import { addReadingFormat, flagsOf, readingFormatOf } from './flags.ts';

/** `errand replay <run>`: whether the loop takes the recorded course again; with `--from`, another try from a step on. */
export function addReplay(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('replay')
    .summary('run the loop again over a recorded run')
    .description(
      'Runs the loop again over what is recorded of one run, without network, and says whether it takes the same course. With --from: a new run that keeps the first steps and goes on from there with a live model.',
    )
    .argument('<run>', 'its id, the beginning of its id, or its title')
    .addOption(new Option('--from <n>', 'keep n steps, and go on from there as a new run'))
    .addOption(new Option('--model <connection/id>', 'with --from: model to go on with [default: its own]'));
  addReadingFormat(command).addHelpText('after', HELP);
  command.action(async (run: string) => {
    const flags = flagsOf(command);
    const format = readingFormatOf(command);
    const { '--from': from, '--model': model } = flags;
    if (from !== undefined) {
      const { forkRun } = await import('./run/fork-run.ts');
      ending.exit = await forkRun({ run, from: String(from), model, format, around });
      return;
    }
    if (model !== undefined) {
      throw new Failure(EXIT.usage, '--model goes with --from: without it the record itself is what answers.');
    }
    const { courseOf } = await import('./pages/course.ts');
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const record = await findRun(runtime, run);
      const report = await ofConversation(record, runtime.replay(record.run_id));
      if (!report) throw gone(record);
      around.stdout.write(format === 'json' ? `${JSON.stringify({ type: 'replay', ...report })}\n` : courseOf(report));
      return report.differences.length === 0 ? EXIT.completed : EXIT.failed;
    });
  });
}

const HELP = `
json: {"type":"replay","run_id","events","differences":[{"at","recorded","replayed"}]}, a side that has nothing there being
null; with --from the result, as errand run prints it.

Exit codes: 0 the same course, 1 another; with --from those of errand run.`;
