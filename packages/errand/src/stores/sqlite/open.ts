import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DATABASE_FILE, journalErrorOf, NOTADB } from './errors.ts';
import { isCurrent, migrate } from './migrate.ts';
import { type DatabaseSync, loadSqlite } from './module.ts';

/** Milliseconds that opening waits for other processes; and that one statement waits, which stops this process. */
const OPEN_TIMEOUT = 5_000;
const STATEMENT_TIMEOUT = 100;
const WAL_RETRY_DELAY = 5;
/** Bytes that a log keeps when it starts over. */
export const LOG_SIZE_LIMIT = 16 * 1024 * 1024;
/** A database has a page at least. SQLite takes what is left of a shorter file for nothing, and makes a new one. */
const SMALLEST_FILE = 512;

/** Opens SQLite's file. Tests put a disk that fails in its place. */
export type Connect = (
  location: string | URL,
  options: { readonly timeout?: number; readonly readOnly?: boolean },
) => DatabaseSync;

export interface OpenOptions {
  readonly folder: string;
  readonly durability: 'normal' | 'full';
  readonly connect?: Connect | undefined;
}

/** Opens the store for writing and makes it where there is none. Throws CodedError<JournalErrorCode>. */
export function openDatabase({ folder, durability, connect = connectFile }: OpenOptions): DatabaseSync {
  const path = join(folder, DATABASE_FILE);
  let database: DatabaseSync | undefined;
  try {
    makeFolder(folder);
    createPrivate(path);
    refuseStump(path);
    database = connect(path, { timeout: OPEN_TIMEOUT });
    // Counts for a new file only. A run's row and event are larger than half of the usual 4 KB.
    database.exec('pragma page_size = 8192');
    enterWal(database);
    database.exec(`pragma synchronous = ${durability}`);
    database.exec(`pragma journal_size_limit = ${LOG_SIZE_LIMIT}`);
    migrate(database, path);
    database.exec(`pragma busy_timeout = ${STATEMENT_TIMEOUT}`);
    return database;
  } catch (error) {
    database?.close();
    throw journalErrorOf(error, folder);
  }
}

/** Opens a store for reading only; null when there is none. Throws CodedError<JournalErrorCode>. */
export function openDatabaseToRead({ folder, connect }: Omit<OpenOptions, 'durability'>): DatabaseSync | null {
  const path = join(folder, DATABASE_FILE);
  if (!existsSync(path)) return null;
  try {
    return openDatabase({ folder, durability: 'normal', connect });
  } catch (error) {
    const coded = journalErrorOf(error, folder);
    if (coded.code !== 'read_only') throw coded;
    return openImmutable(path, coded);
  }
}

function connectFile(location: string | URL, options: Parameters<Connect>[1]): DatabaseSync {
  return new (loadSqlite().DatabaseSync)(location, options);
}

/** On a disk that cannot be written there is no place for locks; and none is needed while no log waits beside the file. */
function openImmutable(path: string, reason: Error): DatabaseSync {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (log && log.size > 0) throw reason;
  const location = pathToFileURL(path);
  location.searchParams.set('immutable', '1');
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(location, { readOnly: true });
  if (isCurrent(database, path)) return database;
  // One of an earlier version is brought up to date in memory, where it can be.
  database.close();
  const copy = new DatabaseSync(':memory:');
  copyInto(copy, location.href);
  migrate(copy, path);
  return copy;
}

/** All that a file holds, in an empty database. */
function copyInto(copy: DatabaseSync, location: string): void {
  copy.prepare('attach ? as old').run(location);
  const things = copy.prepare(
    "select type, name, sql from old.sqlite_master where sql is not null and name not like 'sqlite_%'",
  );
  for (const { sql } of things.all()) copy.exec(String(sql));
  for (const { type, name } of things.all())
    if (type === 'table') copy.exec(`insert into main.${name} select * from old.${name}`);
  const version = copy.prepare('pragma old.user_version').get()?.user_version;
  copy.exec(`pragma user_version = ${Number(version)}`);
  copy.exec('detach old');
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

function refuseStump(path: string): void {
  const { size } = statSync(path);
  if (size > 0 && size < SMALLEST_FILE)
    throw Object.assign(new Error(`only ${size} bytes are left`), { errcode: NOTADB });
}

/** The change to a log is refused without waiting when another process makes the same change. */
function enterWal(database: DatabaseSync): void {
  for (let attempt = 0; ; attempt++) {
    try {
      database.exec('pragma journal_mode = wal');
      return;
    } catch (error) {
      if (journalErrorOf(error, '').code !== 'busy' || attempt * WAL_RETRY_DELAY > OPEN_TIMEOUT) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_DELAY);
    }
  }
}
