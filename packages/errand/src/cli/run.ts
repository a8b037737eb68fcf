import type { Command } from 'commander';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addRunFlags, flagsOf } from './flags.ts';

/** `errand run`: starts a root run and waits for its answer. */
export function addRun(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('run')
    .summary('run a task and print its answer')
    .description('Runs a task: the answer goes to stdout, progress to stderr.')
    .argument('[task]', 'what is to be done; "-", or nothing where stdin is no terminal: read from stdin');
  addRunFlags(command);
  command.action(async (task: string | undefined) => {
    const { runTask } = await import('./run/run-task.ts');
    ending.exit = await runTask({ task, flags: flagsOf(command), around });
  });
}
