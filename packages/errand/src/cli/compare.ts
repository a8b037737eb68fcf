import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { eventsOf, findRun } from './find-run.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';

/** `errand compare <a> <b>`: two recorded runs side by side. */
export function addCompare(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('compare')
    .summary('compare two runs')
    .description(
      'Compares two runs: model, steps, tool calls in order and the first step where they part, usage, ending, and the answers line by line.',
    )
    .argument('<a>', 'its id, the beginning of its id, or its title')
    .argument('<b>', 'the other one');
  addReadingFormat(command).addHelpText('after', HELP);
  command.action(async (a: string, b: string) => {
    const format = readingFormatOf(command);
    const [{ compareRuns }, { comparisonPage }] = await Promise.all([
      import('../domain/run/compare.ts'),
      import('./pages/comparison.ts'),
    ]);
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const [left, right] = [await findRun(runtime, a), await findRun(runtime, b)];
      const comparison = compareRuns(await eventsOf(runtime, left), await eventsOf(runtime, right));
      around.stdout.write(format === 'json' ? `${JSON.stringify(comparison)}\n` : comparisonPage(comparison));
      return EXIT.completed;
    });
  });
}

const HELP = `
json, with a and b alike:
  {"type": "comparison",
   "a": {"run_id", "title", "model", "state", "reason", "partial", "steps", "kept_steps",
         "tool_calls": [{"step", "name", "args"}],
         "usage": {"input", "cached", "output", "reasoning", "unknown_calls"}, "active_ms"},
   "b": {...},
   "same_model": true, "same_state": true,
   "parted_at_step": 3,                  null where all steps make the same calls
   "answer": {"equal": false, "diff": [{"in": "both" | "a" | "b", "text"}]}}
A run that goes on from another's transcript has that one's steps first: kept_steps of them. Exit code 0, whatever differs.`;
