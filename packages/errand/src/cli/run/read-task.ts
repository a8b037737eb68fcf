import { EXIT } from '../../app/exit-codes.ts';
import { TASK_LENGTH } from '../../domain/brief/brief.ts';
import { Failure } from '../around/failure.ts';
import type { Surroundings } from '../around/surroundings.ts';

/** The task from the argument, else from stdin. An argument wins; stdin is then not read. */
export async function readTask(argument: string | undefined, stdin: Surroundings['stdin']): Promise<string> {
  const fromStdin = argument === '-' || (argument === undefined && !stdin.isTerminal);
  if (!fromStdin && argument === undefined) {
    throw new Failure(EXIT.usage, 'there is no task: errand run "<task>", or give it on stdin.');
  }
  const task = (fromStdin ? await readAll(stdin.chunks) : (argument ?? '')).trim();
  if (task === '') {
    throw new Failure(EXIT.usage, `the task is empty: say what is to be done${fromStdin ? ' on stdin' : ''}.`);
  }
  if (task.length > TASK_LENGTH) throw new Failure(EXIT.usage, tooLong(`${task.length} characters`));
  return task;
}

/** Reads no more than what is too much anyway: four bytes a character at most. */
async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    size += chunk.length;
    if (size > 4 * TASK_LENGTH) throw new Failure(EXIT.usage, tooLong(`more than ${4 * TASK_LENGTH} bytes`));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (error) {
    throw new Failure(EXIT.usage, 'the task on stdin is not UTF-8 text: give it in UTF-8.', error);
  }
}

function tooLong(length: string): string {
  return `the task is ${length} long, ${TASK_LENGTH} characters at most: put the material into files of the folder and name them.`;
}
