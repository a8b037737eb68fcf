/** An expected end of a command: what is printed after `errand: `, and the exit code. */
export class Failure extends Error {
  readonly exit: number;

  constructor(exit: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Failure';
    this.exit = exit;
  }
}

/** A message as one line. */
export function oneLine(message: string): string {
  return message.replace(/\s*[\r\n]+\s*/gu, ' ').trim();
}
