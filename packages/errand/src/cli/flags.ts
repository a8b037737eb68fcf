import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { defaultInWords, type OptionKind, OUTPUT_FORMATS, type OutputFormat, RUN_OPTIONS } from '../app/options.ts';
import { Failure } from './around/failure.ts';
import type { Flags } from './around/open.ts';

const PLACEHOLDERS: Readonly<Record<OptionKind['kind'], string>> = {
  count: ' <n>',
  duration: ' <time>',
  model: ' <connection/id>',
  word: ' <word>',
  folder: ' <folder>',
  choice: ' <format>',
  switch: '',
};

/** What stands behind a flag for its value. */
export function placeholderOf({ kind }: OptionKind): string {
  return PLACEHOLDERS[kind];
}

/** Gives a command the flags of the options table. */
export function addRunFlags(command: Command): void {
  addFlags(command, RUN_OPTIONS);
  command.addHelpText(
    'after',
    `
Times are in seconds, or such as 30s, 5m, 1h. Each option can also be set in config.toml; most by a variable:
${RUN_OPTIONS.flatMap(({ flag, environment }) => (environment ? [`  ${`${flag}`.padEnd(18)}${environment}`] : [])).join('\n')}

Exit codes: 0 completed, 1 failed, 2 wrong flags or input, 3 interrupted at a limit, 4 no usable model or
configuration, 5 stopped, 130 and 143 on SIGINT and SIGTERM.`,
  );
}

/** Those flags that say how a run is shown. */
export function addDisplayFlags(command: Command): void {
  addFlags(
    command,
    RUN_OPTIONS.filter(({ key }) => key === 'output-format' || key === 'quiet'),
  );
}

function addFlags(command: Command, options: typeof RUN_OPTIONS): void {
  for (const option of options) {
    const kind = option.value;
    const choices = kind.kind === 'choice' ? ` (${kind.values.join(', ')})` : '';
    const fallback = kind.kind === 'switch' ? '' : ` [default: ${defaultInWords(option)}]`;
    command.addOption(new Option(`${option.flag}${placeholderOf(kind)}`, `${option.help}${choices}${fallback}`));
  }
}

/** Flags by the name that they were written with. */
export function flagsOf(command: Command): Flags {
  const values = command.opts<Record<string, string | boolean | undefined>>();
  return Object.fromEntries(
    command.options.map((option) => [option.long ?? '', values[option.attributeName()]] as const),
  );
}

/** `--output-format` of a command that reads. */
export function addReadingFormat(command: Command): Command {
  return command.addOption(new Option('--output-format <format>', 'text or json [default: text]'));
}

export type ReadingFormat = Exclude<OutputFormat, 'stream-json'>;
const READING_FORMATS = OUTPUT_FORMATS.filter((format) => format !== 'stream-json');

export function readingFormatOf(command: Command): ReadingFormat {
  const given = flagsOf(command)['--output-format'] ?? 'text';
  const format = READING_FORMATS.find((known) => known === given);
  if (!format) {
    throw new Failure(EXIT.usage, `--output-format takes one of ${READING_FORMATS.join(', ')}, not "${given}".`);
  }
  return format;
}
