import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { CodedError } from '../base/errors.ts';
import { printable } from '../terminal/text.ts';
import { Failure } from './around/failure.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';

/** `errand backup <file>`: a consistent copy of the store, made while runs work. */
export function addBackup(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('backup')
    .summary('copy the store into a file')
    .description(
      'Copies the store, as it is now, into a file that is not there yet; runs may go on meanwhile. To read the copy, put it as errand.db into a folder of its own and name that folder in ERRAND_HOME.',
    )
    .argument('<file>', 'where the copy goes');
  addReadingFormat(command).action(async (name: string) => {
    const format = readingFormatOf(command);
    const file = resolve(around.cwd, name);
    await requireFolderOf(file);
    ending.exit = await withService(around, 'read', async ({ store }) => {
      await store.backup(file).catch((error: unknown) => {
        if (error instanceof CodedError && error.code === 'conflict')
          throw new Failure(EXIT.usage, error.message, error);
        throw error;
      });
      const text = `The store is copied to ${printable(file)}.\n`;
      around.stdout.write(format === 'json' ? `${JSON.stringify({ type: 'backup', file })}\n` : text);
      return EXIT.completed;
    });
  });
}

async function requireFolderOf(file: string): Promise<void> {
  const folder = dirname(file);
  const found = await stat(folder).catch(() => null);
  if (!found?.isDirectory()) throw new Failure(EXIT.usage, `there is no folder ${folder} to put the copy into.`);
}
