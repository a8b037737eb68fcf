import { EXIT } from '../../app/exit-codes.ts';
import { isStoreFault } from '../../app/store-fault.ts';
import { printableText } from '../../terminal/text.ts';

/** An expected end of a command: what is printed after `errand: `, and the exit code. */
export class Failure extends Error {
  readonly exit: number;

  constructor(exit: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.exit = exit;
  }
}

/** A store that cannot be used: its own sentence, after `what` was broken off by it. Null: it is something else. */
export function storeFailure(error: unknown, what?: string): Failure | null {
  if (!isStoreFault(error)) return null;
  return new Failure(EXIT.unusable, what === undefined ? error.message : `${what}: ${error.message}`, error);
}

/** A message as one line that steers no terminal. */
export function oneLine(message: string): string {
  return printableText(message.replace(/\s*[\r\n]+\s*/gu, ' ')).trim();
}
