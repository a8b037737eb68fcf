import { EXIT } from '../../app/exit-codes.ts';
import { isStoreFault, isSwept } from '../../app/store-fault.ts';
import { messageOf } from '../../base/errors.ts';
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

/**
 * A store that cannot be used, or no longer has what is asked of it: its own sentence, after `what` was broken off by it.
 * Null: it is something else.
 */
export function storeFailure(error: unknown, what?: string): Failure | null {
  const exit = isSwept(error) ? EXIT.usage : isStoreFault(error) ? EXIT.unusable : null;
  if (exit === null) return null;
  return new Failure(exit, what === undefined ? messageOf(error) : `${what}: ${messageOf(error)}`, error);
}

/** A message as one line that steers no terminal. */
export function oneLine(message: string): string {
  return printableText(message.replace(/\s*[\r\n]+\s*/gu, ' ')).trim();
}
