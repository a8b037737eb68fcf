import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { messageOf } from '../base/errors.ts';
import { Failure, oneLine, storeFailure } from './around/failure.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { systemSurroundings } from './around/system.ts';
import { addBackup } from './backup.ts';
import { addCompare } from './compare.ts';
import { addConfig } from './config.ts';
import { addDoctor } from './doctor.ts';
import { addLogs } from './logs.ts';
import { addPs } from './ps.ts';
import { addReplay } from './replay.ts';
import { addResume } from './resume.ts';
import { addRun } from './run.ts';
import { addShow } from './show.ts';
import { addStop } from './stop.ts';
import { addUsageCommand } from './usage.ts';

/**
 * The command line. Resolves to the exit code once everything written has left the process; never rejects.
 * `argv`: the words after the program's name.
 */
export async function main(argv: readonly string[], around: Surroundings = systemSurroundings()): Promise<number> {
  const ending: Ending = { exit: EXIT.completed };
  try {
    const program = createProgram(around, ending);
    refuseHelpOnNothing(program, argv);
    // A second short form, which the parser has no room for.
    const words = argv[0] === '-V' ? ['--version', ...argv.slice(1)] : [...argv];
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    ending.exit = report(error, around);
  }
  await around.stdout.flush();
  const { fault } = around.stdout;
  if (fault) ending.exit = report(new Failure(EXIT.failed, unwritten(fault), fault), around);
  await around.stderr.flush();
  return ending.exit;
}

function unwritten(fault: NodeJS.ErrnoException): string {
  const why = fault.code === 'ENOSPC' ? 'there is no space left' : messageOf(fault);
  return `what was printed could not be written to stdout: ${why}.`;
}

function createProgram(around: Surroundings, ending: Ending): Command {
  const program = new Command('errand')
    .description('Hands work to helper agents: bounded, read-only by default, with one checked answer.')
    .usage('<command> [options]')
    .argument('[words...]')
    .version(version(), '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: (text) => around.stdout.write(text), writeErr: () => {}, outputError: () => {} })
    .action((words: string[]) => {
      throw new Failure(EXIT.usage, noCommand(words, program));
    });
  const runs = [addRun, addResume, addPs, addShow, addLogs, addStop, addReplay, addCompare, addUsageCommand];
  for (const add of [...runs, addBackup, addConfig, addDoctor]) add(program, around, ending);
  addHelp(program);
  return program;
}

/** `errand help [command…]` */
function addHelp(program: Command): void {
  program
    .command('help')
    .summary('show help')
    .description('Shows the help of a command, or of all.')
    .argument('[command...]')
    .action((words: string[]) => {
      const { command, unknown } = follow(program, words);
      if (unknown !== null) throw new Failure(EXIT.usage, noCommand(words, program));
      command.outputHelp();
    });
}

/** The command that words lead to, and the word that leads no further although there are commands below; null: none. */
function follow(program: Command, words: readonly string[]): { command: Command; unknown: string | null } {
  let command = program;
  for (const word of words) {
    if (command.commands.length === 0) break;
    const next = command.commands.find((known) => known.name() === word);
    if (!next) return { command, unknown: word };
    command = next;
  }
  return { command, unknown: null };
}

/** The parser would answer with the help of all. */
function refuseHelpOnNothing(program: Command, argv: readonly string[]): void {
  const end = argv.indexOf('--');
  const before = end < 0 ? argv : argv.slice(0, end);
  if (!before.includes('--help') && !before.includes('-h')) return;
  const words = before.filter((word) => !word.startsWith('-'));
  if (follow(program, words).unknown !== null) throw new Failure(EXIT.usage, noCommand(words, program));
}

function noCommand(words: readonly string[], program: Command): string {
  const known = program.commands.map((command) => command.name()).join(', ');
  if (words.length === 0)
    return `say what to do: errand run "<task>", or one of the commands ${known} (errand --help).`;
  const word = words.join(' ');
  const shown = word.length > 60 ? `${word.slice(0, 59)}…` : word;
  return `there is no command "${shown}"; to run a task: errand run "<task>"; commands: ${known}.`;
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Prints one sentence and returns the exit code. */
function report(error: unknown, { stderr, environment }: Surroundings): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.completed;
    stderr.write(`errand: ${oneLine(error.message.replace(/^error: /u, ''))}\n`);
    return EXIT.usage;
  }
  stderr.write(`errand: ${oneLine(messageOf(error))}\n`);
  if (environment.ERRAND_DEBUG === '1' && error instanceof Error) stderr.write(`${error.stack}\n`);
  return (error instanceof Failure ? error : storeFailure(error))?.exit ?? EXIT.failed;
}
