import assert from 'node:assert/strict';
import type { RunEvent } from '../../domain/run/event.ts';
import { claimed, type JournalCase, rejectsWith, root } from './case.ts';

/** What listeners are told. */
export const OBSERVING: readonly JournalCase[] = [
  {
    title: '[RUN-2] listeners are told of each commit, in order, and no more once they have left',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const told: RunEvent[] = [];
      let commits = 0;
      const leave = journal.observe((events) => {
        commits++;
        told.push(...events);
      });
      await Promise.all([journal.append([run.create()]), journal.append([run.start()])]);
      assert.equal(commits, 1);
      for (const entry of run.step()) await journal.append([entry]);
      assert.deepEqual(told, run.events);
      leave();
      leave();
      await journal.append([run.settle()]);
      assert.equal(told.length, run.events.length - 1);
    },
  },
  {
    title: '[RUN-2] a listener finds what it is told of, and hears nothing of what was refused',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const created = run.create();
      const told: (readonly RunEvent[])[] = [];
      const found: Promise<readonly RunEvent[]>[] = [];
      journal.observe((events) => {
        told.push(events);
        found.push(journal.read(run.run_id));
      });
      await journal.append([created]);
      await rejectsWith('conflict', journal.append([created]));
      assert.deepEqual(told, [run.events]);
      assert.deepEqual(await Promise.all(found), [run.events]);
    },
  },
  {
    title: '[DUR-7] a listener that throws harms neither the append nor the other listeners',
    run: async (journal) => {
      const { emitWarning } = process;
      const warnings: unknown[] = [];
      process.emitWarning = (warning: unknown) => void warnings.push(warning);
      try {
        let told = 0;
        journal.observe(() => {
          throw new Error('a broken listener');
        });
        journal.observe((events) => {
          told += events.length;
        });
        await claimed(journal, root());
        await journal.append([root().create()]);
        assert.equal(told, 1);
        assert.match(String(warnings[0]), /a broken listener/u);
      } finally {
        process.emitWarning = emitWarning;
      }
    },
  },
];
