import { journalError } from '../shared/faults.ts';
import { MIGRATION_0001 } from './migrations/0001-journal.ts';
import { MIGRATION_0002 } from './migrations/0002-origins-and-sweeping.ts';
import type { DatabaseSync } from './module.ts';

/** In order; `user_version` counts those that have run. */
const MIGRATIONS: readonly string[] = [MIGRATION_0001, MIGRATION_0002];

/** Brings a store to the newest version, in one transaction per step. Refuses a store that is newer than this program. */
export function migrate(database: DatabaseSync, path: string): void {
  if (versionOf(database) === MIGRATIONS.length) return;
  database.exec('begin immediate');
  try {
    // Another process may have been first while this one waited.
    const version = versionOf(database);
    if (version > MIGRATIONS.length) {
      throw journalError(
        'io',
        `${path} was written by a newer Errand (store version ${version}; this one knows ${MIGRATIONS.length}). Update Errand, or use another folder.`,
      );
    }
    for (const sql of MIGRATIONS.slice(version)) database.exec(sql);
    database.exec(`pragma user_version = ${MIGRATIONS.length}`);
    database.exec('commit');
  } catch (error) {
    if (database.isTransaction) database.exec('rollback');
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('pragma user_version').get()?.user_version);
}
