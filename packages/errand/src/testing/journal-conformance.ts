import { APPENDING } from './journal/appending.ts';
import { BLOBS } from './journal/blobs.ts';
import { CARE } from './journal/care.ts';
import type { JournalCase } from './journal/case.ts';
import { CLOSING } from './journal/closing.ts';
import { COMMANDS } from './journal/commands.ts';
import { LEASES } from './journal/leases.ts';
import { OBSERVING } from './journal/observing.ts';
import { RECORDS } from './journal/records.ts';
import { SLOTS } from './journal/slots.ts';

export type { JournalCase };

/** What every adapter of the journal port must do. */
export const JOURNAL_CASES: readonly JournalCase[] = [
  ...APPENDING,
  ...RECORDS,
  ...BLOBS,
  ...OBSERVING,
  ...COMMANDS,
  ...LEASES,
  ...SLOTS,
  ...CARE,
  ...CLOSING,
];
