import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { printable } from '../terminal/text.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { table } from './table.ts';

/** `errand doctor`: whether everything that a run needs is there. */
export function addDoctor(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('doctor')
    .summary('check that everything is in place')
    .description(
      'Checks Node, store, configuration and search, and lists the connections, of which none is tried. Exit code 1: something is missing.',
    );
  addReadingFormat(command).action(async () => {
    const format = readingFormatOf(command);
    const { examine } = await import('./doctor-checks.ts');
    const checks = await examine(around);
    const healthy = checks.every(({ status }) => status !== 'missing');
    const rows = checks.map(({ status, name, detail }) => [GLYPHS[status], printable(name), printable(detail)]);
    around.stdout.write(
      format === 'json' ? `${JSON.stringify({ healthy, checks })}\n` : table(['', 'CHECK', ''], rows),
    );
    ending.exit = healthy ? EXIT.completed : EXIT.failed;
  });
}

const GLYPHS = { good: '✓', note: '–', missing: '✗' } as const;
