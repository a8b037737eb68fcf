import { statSync } from 'node:fs';
import process from 'node:process';
import type { Journal } from '../ports/journal.ts';

/** What was found out about the store. Sizes in bytes. */
export interface StoreReport {
  /** Problems, one sentence each; empty: it is sound. */
  readonly problems: readonly string[];
  /** Null: there is no store yet. `log_bytes`: of the write-ahead log beside it, null where there is none. */
  readonly file: { readonly bytes: number; readonly log_bytes: number | null } | null;
  /** Version of SQLite. */
  readonly sqlite: string;
}

/** The care of the store as a whole. */
export interface StoreCare {
  /** Looks at all of it. */
  check(): Promise<StoreReport>;
  /** Makes a consistent copy; throws CodedError<JournalErrorCode>, `conflict` where the file is there already. */
  backup(file: string): Promise<void>;
}

/** `path`: of the database file. */
export function createStoreCare(journal: Pick<Journal, 'check' | 'backup'>, path: string): StoreCare {
  return {
    check: async () => ({
      problems: await journal.check(),
      file: fileAt(path),
      sqlite: process.versions.sqlite ?? 'unknown',
    }),
    backup: (file) => journal.backup(file),
  };
}

/** Never opened here: closing a file drops the locks that this process has on it. */
function fileAt(path: string): StoreReport['file'] {
  const found = statSync(path, { throwIfNoEntry: false });
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false });
  return found ? { bytes: found.size, log_bytes: log?.size ?? null } : null;
}
