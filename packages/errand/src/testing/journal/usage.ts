import assert from 'node:assert/strict';
import { NO_USAGE } from '../../domain/run/usage.ts';
import type { Journal } from '../../ports/journal.ts';
import { claimed, type JournalCase, root } from './case.ts';
import { endedTree, KEEP_ALL, KEEP_NONE, withSpec } from './trees.ts';

/** Records a run of one model that made so many steps, of 100 tokens in and 10 out each, and completed. */
async function completed(journal: Journal, run_id: string, { model = '', steps = 1, at = 1_000 }): Promise<void> {
  const run = root(run_id, at);
  await claimed(journal, run);
  const entries = [run.create(), run.start()];
  for (let step = 0; step < steps; step++) entries.push(...run.step());
  for (const entry of [...entries, run.settle()]) await journal.append([withSpec(entry, { model })]);
}

const used = (steps: number) => ({ ...NO_USAGE, input: 100 * steps, output: 10 * steps });

/** What runs have used. */
export const USAGE: readonly JournalCase[] = [
  {
    title: '[DUR-5] usage is added up by model, most tokens first, then by name; a run that goes on is counted so far',
    run: async (journal) => {
      assert.deepEqual(await journal.usage(), []);
      await completed(journal, 'run_a', { model: 'one/small', steps: 2 });
      await completed(journal, 'run_b', { model: 'two/large', steps: 3 });
      await completed(journal, 'run_c', { model: 'one/large', steps: 2 });
      await completed(journal, 'run_d', { model: 'two/large', steps: 0 });
      const live = root('run_live');
      await claimed(journal, live);
      for (const entry of [live.create(), live.start(), ...live.step()]) await journal.append([entry]);
      assert.deepEqual(await journal.usage(), [
        { model: 'two/large', runs: 2, deleted: 0, usage: used(3) },
        { model: 'one/large', runs: 1, deleted: 0, usage: used(2) },
        { model: 'one/small', runs: 1, deleted: 0, usage: used(2) },
        { model: 'sample/sample-1', runs: 1, deleted: 0, usage: used(1) },
      ]);
    },
  },
  {
    title: '[DUR-5] what runs have used stays when they are deleted, and is added to what others use',
    run: async (journal) => {
      await completed(journal, 'run_a', { model: 'one/small', steps: 5 });
      await completed(journal, 'run_b', { model: 'two/large', steps: 3 });
      await completed(journal, 'run_c', { model: 'one/small', steps: 1, at: 9_000 });
      await journal.retain({ ...KEEP_ALL, age: 5_000 });
      const sums = [
        { model: 'one/small', runs: 2, deleted: 1, usage: used(6) },
        { model: 'two/large', runs: 1, deleted: 1, usage: used(3) },
      ];
      assert.deepEqual(await journal.usage(), sums);
      await journal.retain(KEEP_NONE);
      assert.deepEqual(await journal.usage(), [{ ...sums[0], deleted: 2 }, sums[1]]);
      await completed(journal, 'run_a', { model: 'two/large', steps: 4 });
      assert.deepEqual(await journal.usage(), [
        { model: 'two/large', runs: 2, deleted: 1, usage: used(7) },
        { model: 'one/small', runs: 2, deleted: 2, usage: used(6) },
      ]);
    },
  },
  {
    title: '[DUR-5] [RUN-7] a run that was discarded is not counted',
    run: async (journal) => {
      await endedTree(journal, 'run_a', { children: 2 });
      await endedTree(journal, 'run_b');
      await journal.discard('run_a', 1);
      assert.deepEqual(await journal.usage(), [{ model: 'sample/sample-1', runs: 1, deleted: 0, usage: used(1) }]);
    },
  },
];
