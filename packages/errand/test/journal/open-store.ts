import { createSystemClock } from '../../src/host/clock.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { openSqliteJournal, type SqliteJournalOptions } from '../../src/stores/sqlite/journal.ts';

/** A store in a folder, on the machine's own clock unless told otherwise. */
export function openStore(options: Omit<SqliteJournalOptions, 'clock'> & Partial<SqliteJournalOptions>): Journal {
  return openSqliteJournal({ clock: createSystemClock(), ...options });
}
