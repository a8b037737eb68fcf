import assert from 'node:assert/strict';
import { BOOT, cancel, claimed, type JournalCase, rejectsWith, root } from './case.ts';
import { KEEP_ALL } from './trees.ts';

/** The end of a journal. */
export const CLOSING: readonly JournalCase[] = [
  {
    title: '[DUR-1] closing waits for what is on its way; afterwards every call says closed',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const appended = journal.append([run.create()]);
      const closing = journal.close();
      await rejectsWith('closed', journal.append([run.start()]));
      await appended;
      await closing;
      await journal.close();
      await rejectsWith('closed', journal.append([run.start()]));
      await rejectsWith('closed', journal.read(run.run_id));
      await rejectsWith('closed', journal.record(run.run_id));
      await rejectsWith('closed', journal.records());
      await rejectsWith('closed', journal.unreadable(run.run_id));
      await rejectsWith('closed', journal.discard(run.run_id, 1));
      await rejectsWith('closed', journal.getBlob('0'));
      await rejectsWith('closed', journal.openBoot(BOOT));
      await rejectsWith('closed', journal.closeBoot(BOOT.boot_id));
      await rejectsWith('closed', journal.boots());
      await rejectsWith('closed', journal.beat(BOOT.boot_id));
      await rejectsWith('closed', journal.claim({ root_id: 'run_a', boot_id: BOOT.boot_id, mayTake: () => true }));
      await rejectsWith('closed', journal.release('run_a', BOOT.boot_id));
      await rejectsWith('closed', journal.takeSlots(BOOT.boot_id, 1, 8));
      await rejectsWith('closed', journal.giveSlots(BOOT.boot_id, 1));
      await rejectsWith('closed', journal.retain(KEEP_ALL));
      await rejectsWith('closed', journal.usage());
      await rejectsWith('closed', journal.check());
      await rejectsWith('closed', journal.backup('/nowhere'));
      await rejectsWith('closed', journal.sendCommand(BOOT.boot_id, cancel('run_a')));
      assert.throws(() => journal.putBlob('text'), { code: 'closed' });
      assert.throws(() => journal.observe(() => {}), { code: 'closed' });
      assert.throws(() => journal.receiveCommands(BOOT.boot_id, () => {}), { code: 'closed' });
    },
  },
];
