import { describe, it } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { JOURNAL_CASES } from '../../src/testing/journal-conformance.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const ADAPTERS: Readonly<Record<string, () => Journal>> = {
  memory: createMemoryJournal,
  sqlite: () => openStore({ folder: temporaryFolder() }),
  'sqlite, full durability': () => openStore({ folder: temporaryFolder(), durability: 'full' }),
};

for (const [name, create] of Object.entries(ADAPTERS)) {
  describe(`journal in ${name}`, () => {
    for (const { title, run } of JOURNAL_CASES) {
      it(title, async () => {
        const journal = create();
        try {
          await run(journal);
        } finally {
          await journal.close();
        }
      });
    }
  });
}
