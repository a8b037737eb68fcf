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

export function fenced(rootId: string): CodedError<JournalErrorCode> {
  return journalError(
    'fenced',
    `The run ${rootId} has been taken over by another process; what this one adds to it is not recorded.`,
  );
}

/** A process that others have taken for dead, and whose runs they may have gone on with. */
export function forgottenBoot(bootId: string): CodedError<JournalErrorCode> {
  return journalError('fenced', `The process ${bootId} was taken for dead by another; start Errand again to go on.`);
}

export function undecided(rootId: string, cause: unknown): CodedError<JournalErrorCode> {
  return journalError('io', `Whether ${rootId} may be taken over could not be found out; nothing has changed.`, cause);
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

export function swept(runId: string): CodedError<JournalErrorCode> {
  return journalError(
    'swept',
    `The conversation of ${runId} was deleted some time after its end (retention.hidden_days); its record is kept.`,
  );
}

export function noBoot(bootId: string): CodedError<JournalErrorCode> {
  return journalError('conflict', `The process ${bootId} is no longer there to take a command.`);
}
