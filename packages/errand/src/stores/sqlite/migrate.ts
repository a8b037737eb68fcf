import { journalError } from '../shared/faults.ts';
import { MIGRATION_0001 } from './migrations/0001-journal.ts';
import { MIGRATION_0002 } from './migrations/0002-origins-and-sweeping.ts';
import type { DatabaseSync } from './module.ts';

/** In order; `user_version` counts those that have run. */
const MIGRATIONS: readonly string[] = [MIGRATION_0001, MIGRATION_0002];

/** Brings a store to the newest version, all steps that it lacks in one transaction. Refuses a store that is newer than this program. */
export function migrate(database: DatabaseSync, path: string): void {
  if (isCurrent(database, path)) return;
  database.exec('begin immediate');
  try {
    // Another process may have been first while this one waited.
    const version = versionOf(database);
    refuseNewer(version, path);
    for (const sql of MIGRATIONS.slice(version)) database.exec(sql);
    database.exec(`pragma user_version = ${MIGRATIONS.length}`);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

/** Whether a store has the newest version; throws `io` where it has one that is not known yet. */
export function isCurrent(database: DatabaseSync, path: string): boolean {
  const version = versionOf(database);
  refuseNewer(version, path);
  return version === MIGRATIONS.length;
}

function refuseNewer(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return;
  throw journalError(
    'io',
    `${path} was written by a newer Errand (store version ${version}; this one knows ${MIGRATIONS.length}). Update Errand, or use another folder.`,
  );
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}
