import { CodedError } from '../../base/errors.ts';
import type { JournalErrorCode } from '../../ports/journal.ts';

export function journalError(code: JournalErrorCode, message: string, cause?: unknown): CodedError<JournalErrorCode> {
  return new CodedError(code, message, cause);
}

export function conflict(runId: string, cause?: unknown): CodedError<JournalErrorCode> {
  return journalError(
    'conflict',
    `${runId} has moved on meanwhile: another process drives it, or the same step was recorded twice. Read it again before adding to it.`,
    cause,
  );
}

export function closed(): CodedError<JournalErrorCode> {
  return journalError('closed', 'The journal is closed; open it again to go on.');
}

export function unwritable(cause: unknown): CodedError<JournalErrorCode> {
  return journalError('io', 'An event cannot be written as JSON; nothing of it was recorded.', cause);
}

export function corruptRun(runId: string, cause: unknown): CodedError<JournalErrorCode> {
  return journalError('corrupt', `What is stored about ${runId} is damaged. Other runs are not affected.`, cause);
}

export function noBoot(bootId: string): CodedError<JournalErrorCode> {
  return journalError('conflict', `The process ${bootId} is no longer there to take a command.`);
}
