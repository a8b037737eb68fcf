import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { StopAnswer } from '../app/face.ts';
import type { RunRecord } from '../domain/run/record.ts';
import { printable } from '../terminal/text.ts';
import { stateInWords } from '../terminal/words.ts';
import { Failure } from './around/failure.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { findRun } from './find-run.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';

/** `errand stop <run>`: stops a run and everything under it, in whichever process it lives. */
export function addStop(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('stop')
    .summary('stop a run and everything under it')
    .description('Stops a run and everything under it, and waits until it is at rest.')
    .argument('<run>', 'its id, the beginning of its id, or its title');
  addReadingFormat(command).action(async (run: string) => {
    const format = readingFormatOf(command);
    // Looked up first: a name that fits nothing creates nothing.
    const found = await withService(around, 'read', ({ runtime }) => findRun(runtime, run));
    ending.exit = await withService(around, 'run', async ({ runtime }) => {
      const record = recordOf(found, await runtime.stop(found.run_id, 'user'));
      around.stdout.write(format === 'json' ? `${JSON.stringify(record.json)}\n` : `${record.text}\n`);
      return EXIT.completed;
    });
  });
}

function recordOf(found: RunRecord, answer: StopAnswer): { readonly text: string; readonly json: object } {
  const name = `${found.run_id} "${printable(found.title)}"`;
  switch (answer.kind) {
    case 'not_found':
      throw new Failure(EXIT.usage, `there is no run ${found.run_id} any more.`);
    case 'no_answer':
      throw new Failure(EXIT.failed, `the process that owns ${name} did not answer; it may still be at work.`);
    case 'stopped':
    case 'at_rest': {
      const { run_id, state, reason, partial } = answer.record;
      const was = answer.kind === 'at_rest' ? 'had already ended' : 'has ended';
      return {
        text: `${name} ${was}: ${stateInWords(answer.record)}.`,
        json: { type: 'stop', run_id, was_at_rest: answer.kind === 'at_rest', state, reason, partial },
      };
    }
  }
}
