import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { journalErrorOf } from './errors.ts';
import { migrate } from './migrate.ts';
import { type DatabaseSync, loadSqlite } from './module.ts';

export const DATABASE_FILE = 'errand.db';

/** Milliseconds that opening waits for other processes; and that one statement waits, which stops this process. */
const OPEN_TIMEOUT = 5_000;
const STATEMENT_TIMEOUT = 100;

export interface OpenOptions {
  readonly folder: string;
  readonly durability: 'normal' | 'full';
}

export function storeExists(folder: string): boolean {
  return existsSync(join(folder, DATABASE_FILE));
}

/** Opens the store for writing and makes it where there is none. Throws CodedError<JournalErrorCode>. */
export function openDatabase({ folder, durability }: OpenOptions): DatabaseSync {
  const path = join(folder, DATABASE_FILE);
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    createPrivate(path);
    database = new (loadSqlite().DatabaseSync)(path, { timeout: OPEN_TIMEOUT });
    // Counts for a new file only. A run's row and event are larger than half of the usual 4 KB.
    database.exec('pragma page_size = 8192');
    enterWal(database);
    database.exec(`pragma synchronous = ${durability}`);
    migrate(database, path);
    database.exec(`pragma busy_timeout = ${STATEMENT_TIMEOUT}`);
    return database;
  } catch (error) {
    database?.close();
    throw journalErrorOf(error, folder);
  }
}

/** Opens a store for reading only; null when there is none. Throws CodedError<JournalErrorCode>. */
export function openDatabaseToRead(folder: string): DatabaseSync | null {
  if (!storeExists(folder)) return null;
  const path = join(folder, DATABASE_FILE);
  try {
    return openDatabase({ folder, durability: 'normal' });
  } catch (error) {
    const coded = journalErrorOf(error, folder);
    if (coded.code !== 'read_only') throw coded;
    return openImmutable(path, coded);
  }
}

/** On a disk that cannot be written there is no place for locks; and none is needed while no log waits beside the file. */
function openImmutable(path: string, reason: Error): DatabaseSync {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) throw reason;
  const location = pathToFileURL(path);
  location.searchParams.set('immutable', '1');
  const database = new (loadSqlite().DatabaseSync)(location, { readOnly: true });
  migrate(database, path);
  return database;
}

/** Makes a folder and those above it, for the owner only. Node's own `recursive` says ENOENT on a read-only disk. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolder(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been first.
    if (!existsSync(folder)) throw error;
  }
}

/** SQLite makes its files readable for all, but gives the log the mode of the database. */
function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // An existing file is left alone: closing a descriptor of it would drop this process's locks on it.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The change to a log is refused without waiting when another process makes the same change. */
function enterWal(database: DatabaseSync): void {
  const deadline = Date.now() + OPEN_TIMEOUT;
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (journalErrorOf(error, '').code !== 'busy' || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
