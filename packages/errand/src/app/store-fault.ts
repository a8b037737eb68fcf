import { CodedError } from '../base/errors.ts';
import type { JournalErrorCode } from '../ports/journal.ts';

/** What is a fault of the store itself; the others tell of another process, or of this one's end. */
const OF_THE_STORE: Readonly<Record<JournalErrorCode, boolean>> = {
  full: true,
  read_only: true,
  busy: true,
  corrupt: true,
  io: true,
  conflict: false,
  fenced: false,
  closed: false,
  swept: false,
};

/** Whether a store is damaged, full, read-only or kept locked; the message says which, and what to do. */
export function isStoreFault(error: unknown): error is CodedError<JournalErrorCode> {
  return error instanceof CodedError && OF_THE_STORE[error.code as JournalErrorCode] === true;
}

/** Whether the conversation of a helper was asked for, and was deleted as retention says; its record is still there. */
export function isSwept(error: unknown): error is CodedError<'swept'> {
  return error instanceof CodedError && error.code === 'swept';
}

/** What is read of a helper's conversation; where it was swept, what `instead` makes of that. */
export async function unlessSwept<Value, Instead>(
  read: Promise<Value>,
  instead: (error: CodedError<'swept'>) => Instead,
): Promise<Value | Instead> {
  try {
    return await read;
  } catch (error) {
    if (isSwept(error)) return instead(error);
    throw error;
  }
}

/** Whether what is stored about one run is damaged; other runs are not affected. */
export function isDamaged(error: unknown): error is CodedError<'corrupt'> {
  return error instanceof CodedError && error.code === 'corrupt';
}
