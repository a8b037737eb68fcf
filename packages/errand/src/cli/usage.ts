import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { ModelUsage } from '../app/face.ts';
import { addUsage, NO_USAGE, type Usage } from '../domain/run/usage.ts';
import { printable } from '../terminal/text.ts';
import { tokensKnown } from '../terminal/words.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { table } from './table.ts';

/** `errand usage`: what all runs have used, by model, those that are no longer kept included. */
export function addUsageCommand(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('usage')
    .summary('show what all runs have used')
    .description('Shows the tokens that all runs have used, by model; those of runs that are no longer kept included.');
  addReadingFormat(command).addHelpText('after', HELP);
  command.action(async () => {
    const format = readingFormatOf(command);
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const models = await runtime.usage();
      const total = models.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
      around.stdout.write(format === 'json' ? `${JSON.stringify({ models, total })}\n` : page(models, total));
      return EXIT.completed;
    });
  });
}

function page(models: readonly ModelUsage[], total: Usage): string {
  if (models.length === 0) return 'No runs.\n';
  const runs = models.reduce((sum, model) => sum + model.runs, 0);
  const rows = models.map((model) => rowOf(printable(model.model), model.runs, model.usage));
  if (models.length > 1) rows.push(rowOf('total', runs, total));
  const deleted = models.reduce((sum, model) => sum + model.deleted, 0);
  return [
    table(['MODEL', 'RUNS', 'INPUT', 'CACHED', 'OUTPUT', 'REASONING'], rows),
    total.unknown_calls > 0 ? `${untold(total.unknown_calls)}\n` : '',
    deleted > 0 ? `Of these runs, ${deleted} ${deleted === 1 ? 'is' : 'are'} no longer kept.\n` : '',
  ].join('');
}

function rowOf(name: string, runs: number, { input, cached, output, reasoning, unknown_calls }: Usage): string[] {
  const counts = [input, cached, output, reasoning].map((count) => tokensKnown(count, unknown_calls));
  return [name, String(runs), ...counts];
}

function untold(calls: number): string {
  return `?: the usage of ${calls === 1 ? '1 call' : `${calls} calls`} was never told.`;
}

const HELP = `
CACHED is part of INPUT, REASONING part of OUTPUT.

json: {"models": [{"model", "runs", "deleted", "usage": {"input", "cached", "output", "reasoning", "unknown_calls"}}],
"total": {...}}; deleted: how many of the runs are no longer kept.`;
