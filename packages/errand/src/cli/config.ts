import type { Command } from 'commander';
import type { ConfigStatus } from '../app/config/config-status.ts';
import { EXIT } from '../app/exit-codes.ts';
import { printable } from '../terminal/text.ts';
import { Failure } from './around/failure.ts';
import { settingsOf } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { table } from './table.ts';

/** `errand config status`: what is set, by whom, and what follows. */
export function addConfig(program: Command, around: Surroundings, ending: Ending): void {
  const config = program
    .command('config')
    .summary('show the configuration')
    .description('Shows the configuration.')
    .usage('status [options]')
    .argument('[words...]')
    .action((words: string[]) => {
      if (words.length === 0) return config.outputHelp();
      throw new Failure(
        EXIT.usage,
        `there is no command "config ${printable(words.join(' '))}"; there is: config status.`,
      );
    });
  const command = config
    .command('status')
    .summary('every setting, its value and who set it')
    .description('Shows every setting with its default, its value here and who set it, and the connections.');
  addReadingFormat(command).action(async () => {
    const format = readingFormatOf(command);
    const { configStatus } = await import('../app/config/config-status.ts');
    const status = configStatus(await settingsOf(around));
    around.stdout.write(format === 'json' ? `${JSON.stringify(status)}\n` : page(status));
    ending.exit = EXIT.completed;
  });
}

function page(status: ConfigStatus): string {
  const files = table(
    ['FILE', 'PATH', ''],
    [
      ['user', printable(status.files.user.path), status.files.user.found ? '' : 'not there'],
      ['project', printable(status.files.project ?? 'none'), ''],
      ['store', printable(status.files.store), ''],
    ],
  );
  const settings = status.settings.map(({ key, fallback, value, from, name }) => [
    key,
    printable(fallback),
    printable(String(value)),
    name === null ? from : `${from} (${printable(name)})`,
  ]);
  const connections = status.connections.map(({ name, kind, base_url, key, from }) => [
    name,
    kind,
    printable(base_url ?? "the provider's own"),
    key,
    from,
  ]);
  const shadowed = status.shadowed.map(
    (name) => `The environment's connection "${name}" is not used: a file defines it.\n`,
  );
  const model = status.model.name ?? `none: ${status.model.problem}`;
  return [
    files,
    table(['SETTING', 'DEFAULT', 'VALUE', 'FROM'], settings),
    table(['CONNECTION', 'KIND', 'ADDRESS', 'KEY', 'FROM'], connections),
    `${shadowed.join('')}Model of a run: ${printable(model)}\n`,
  ].join('\n');
}
