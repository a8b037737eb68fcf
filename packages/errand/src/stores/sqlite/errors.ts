import { join } from 'node:path';
import { CodedError, messageOf } from '../../base/errors.ts';
import type { JournalErrorCode } from '../../ports/journal.ts';
import { journalError } from '../shared/faults.ts';

export const DATABASE_FILE = 'errand.db';

/** SQLite's primary result codes, and the two extended ones of a key that is taken. */
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR_SHMSIZE = 4874;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
export const NOTADB = 26;
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

const SYSTEM_CODES: Readonly<Record<string, JournalErrorCode>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EACCES: 'read_only',
  EPERM: 'read_only',
  EROFS: 'read_only',
};

/** Whatever went wrong with the store in `folder`, as an error of the port's catalogue. */
export function journalErrorOf(error: unknown, folder: string): CodedError<JournalErrorCode> {
  if (error instanceof CodedError) return error;
  const code = codeOf(error);
  return journalError(code, sentence(code, folder, messageOf(error)), error);
}

/** Whether a row with the same key is there already. */
export function isTaken(error: unknown): boolean {
  const { errcode } = error as { errcode?: unknown };
  return errcode === CONSTRAINT_PRIMARYKEY || errcode === CONSTRAINT_UNIQUE;
}

/** Whether SQLite itself failed, rather than what it gave being damaged. */
export function isFailure(error: unknown): boolean {
  return typeof (error as { errcode?: unknown }).errcode === 'number';
}

function codeOf(error: unknown): JournalErrorCode {
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode !== 'number') return SYSTEM_CODES[String(code)] ?? 'io';
  if (isTaken(error)) return 'conflict';
  if (errcode === IOERR_SHMSIZE) return 'full';
  // A database of the right number with other tables: made by a version that was never released, or by hand.
  if (/^no such (?:table|column)/u.test(messageOf(error))) return 'corrupt';
  switch (errcode & 0xff) {
    case BUSY:
    case LOCKED:
      return 'busy';
    case READONLY:
    case CANTOPEN:
      return 'read_only';
    case CORRUPT:
    case NOTADB:
      return 'corrupt';
    case FULL:
      return 'full';
    default:
      return 'io';
  }
}

function sentence(code: JournalErrorCode, folder: string, detail: string): string {
  switch (code) {
    case 'conflict':
      return 'What was to be recorded is there already: another process drives the same run.';
    case 'full':
      return `The disk that holds ${folder} is full. Free some space: what is recorded is safe, and recording goes on by itself.`;
    case 'read_only':
      return `The store in ${folder} cannot be opened or written (${detail}). Check who owns the folder and whether the disk is mounted read-only.`;
    case 'busy':
      return `Another process has kept the store in ${folder} locked for too long. Try again, or look for a process that hangs.`;
    case 'corrupt':
      return `The file ${join(folder, DATABASE_FILE)} is damaged (${detail}): move it away to begin with an empty store, or put a backup in its place.`;
    case 'swept':
    case 'fenced':
    case 'closed':
    case 'io':
      return `The store in ${folder} failed: ${detail}.`;
  }
}
