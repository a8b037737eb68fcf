import { closeSync, openSync, rmSync } from 'node:fs';
import { CodedError, messageOf } from '../../base/errors.ts';
import { journalError } from '../shared/faults.ts';
import { journalErrorOf } from './errors.ts';
import { type DatabaseSync, loadSqlite } from './module.ts';

/** Pages per step: between two the copy lets others have their turn. */
const PAGES_AT_ONCE = 1_000;

/**
 * Copies the store, as it is now, into a new file that only its owner can read. `source` is a connection for this alone:
 * it keeps its view for the time of the copy, so that what others write meanwhile does not make the copy start again.
 * Throws CodedError<JournalErrorCode>.
 */
export async function copyDatabase(source: DatabaseSync, file: string): Promise<void> {
  try {
    createNew(file);
  } catch (error) {
    throw copyError(error, file);
  }
  try {
    source.exec('begin');
    // The view begins with the first read.
    source.prepare('select count(*) from boots').get();
    await loadSqlite().backup(source, file, { rate: PAGES_AT_ONCE });
    source.exec('commit');
  } catch (error) {
    rmSync(file, { force: true });
    throw copyError(error, file);
  }
}

function createNew(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw journalError('conflict', `${file} is there already; a backup overwrites nothing. Name another file.`);
  }
}

function copyError(error: unknown, file: string): CodedError {
  if (error instanceof CodedError) return error;
  const { code } = journalErrorOf(error, '');
  return journalError(
    code,
    `The backup ${file} could not be made (${messageOf(error)}); the store itself is as it was.`,
    error,
  );
}
