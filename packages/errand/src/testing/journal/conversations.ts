import assert from 'node:assert/strict';
import type { Journal } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';
import { claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';
import { endedTree, idsOf, interrupt, KEEP_ALL, KEEP_NONE } from './trees.ts';

/** All conversations go that ended 1 s before the latest ending. */
const SWEEP = { ...KEEP_ALL, hiddenAge: 1_000 };

async function expectSwept(journal: Journal, run: SampleRun): Promise<void> {
  for (const after of [0, 3, run.events.length, 99]) await rejectsWith('swept', journal.read(run.run_id, after));
}

/** Conversations of helpers, which go before their records. */
export const CONVERSATIONS: readonly JournalCase[] = [
  {
    title:
      '[DUR-5] conversations of helpers go some time after the end of their tree; their records stay, and all else',
    run: async (journal) => {
      const [parent, ...helpers] = await endedTree(journal, 'run_old', { children: 2, output: 'x'.repeat(40_000) });
      const late = await endedTree(journal, 'run_late', { at: 9_000, children: 1 });
      const records = await journal.records();
      assert.deepEqual(await journal.retain({ ...SWEEP, hiddenAge: 8_000 }), { runs: 0, conversations: 0 });
      assert.deepEqual(await journal.retain({ ...SWEEP, hiddenAge: 7_999 }), { runs: 0, conversations: 2 });
      for (const helper of helpers) {
        await expectSwept(journal, helper);
        await assert.rejects(journal.read(helper.run_id), {
          message: `The conversation of ${helper.run_id} was deleted some time after its end (retention.hidden_days); its record is kept.`,
        });
        assert.deepEqual(
          await journal.record(helper.run_id),
          records.find((record) => record.run_id === helper.run_id),
        );
      }
      for (const run of [parent, ...late]) await expectRecorded(journal, run);
      assert.deepEqual(await journal.records(), records);
      assert.deepEqual(await journal.check(), []);
      assert.deepEqual(await journal.retain({ ...SWEEP, hiddenAge: 7_999 }), { runs: 0, conversations: 0 });
    },
  },
  {
    title: '[DUR-5] [DUR-7] a clock that stands far ahead takes no conversation of the tree that ended last',
    run: async (journal) => {
      const runs = await endedTree(journal, 'run_a', { children: 1 });
      for (const now of [Number.MAX_SAFE_INTEGER, 1_000_000, 1_006, 0]) {
        assert.equal((await journal.retain({ ...KEEP_ALL, now, hiddenAge: 0 })).conversations, 0);
      }
      for (const run of runs) await expectRecorded(journal, run);
    },
  },
  {
    title: '[DUR-5] a tree that lives or can be gone on with keeps the conversations of its helpers',
    run: async (journal) => {
      const [living, over] = await endedTree(journal, 'run_living', { children: 1 });
      const late = new SampleRun({ run_id: 'run_background', parent: living });
      const resumable = root('run_resumable');
      const helper = new SampleRun({ run_id: 'run_helper', parent: resumable });
      await claimed(journal, resumable);
      await journal.append([late.create(), resumable.create(), resumable.start(), helper.create(), helper.start()]);
      await journal.append([helper.settle(), interrupt(resumable)]);
      await endedTree(journal, 'run_late', { at: 9_000 });
      assert.equal((await journal.retain(SWEEP)).conversations, 0);
      for (const run of [over, helper]) if (run) await expectRecorded(journal, run);
      await journal.append([late.start(), late.settle()]);
      assert.equal((await journal.retain(SWEEP)).conversations, 2);
    },
  },
  {
    title: '[DUR-5] the text that a helper and its parent both hold stays for the parent',
    run: async (journal) => {
      const [parent] = await endedTree(journal, 'run_a', { children: 2, output: 'x'.repeat(100_000) });
      await endedTree(journal, 'run_late', { at: 9_000 });
      assert.equal((await journal.retain(SWEEP)).conversations, 2);
      await expectRecorded(journal, parent);
      assert.deepEqual(await journal.check(), []);
    },
  },
  {
    title: '[DUR-5] a tree without its conversations goes later as any other, and what it has used is counted once',
    run: async (journal) => {
      await endedTree(journal, 'run_old', { children: 2 });
      await endedTree(journal, 'run_late', { at: 9_000 });
      const before = await journal.usage();
      await journal.retain(SWEEP);
      assert.deepEqual(await journal.usage(), before);
      assert.deepEqual(await journal.retain({ ...SWEEP, age: 5_000 }), { runs: 3, conversations: 0 });
      assert.deepEqual(await idsOf(journal), ['run_late']);
      assert.deepEqual(
        await journal.usage(),
        before.map((sum) => ({ ...sum, deleted: 3 })),
      );
      assert.deepEqual(await journal.read('run_old_0'), []);
    },
  },
  {
    title: '[DUR-5] what is deleted and what is only swept are told apart',
    run: async (journal) => {
      for (const [index, at] of [1_000, 5_000, 9_000].entries()) {
        await endedTree(journal, `run_${index}`, { at, children: 2 });
      }
      assert.deepEqual(await journal.retain({ ...SWEEP, age: 6_000 }), { runs: 3, conversations: 2 });
      assert.deepEqual(await journal.retain(KEEP_NONE), { runs: 6, conversations: 0 });
    },
  },
  {
    title: '[DUR-5] nothing is added to a helper without its conversation; its tree can go on, and is swept again',
    run: async (journal) => {
      const parent = root('run_a', 500);
      const helper = new SampleRun({ run_id: 'run_helper', parent });
      const [first] = await endedTree(journal, 'run_late', { at: 9_000 });
      await claimed(journal, parent);
      await journal.append([parent.create(), helper.create(), parent.start(), helper.start(), parent.settle()]);
      await journal.append([interrupt(helper)]);
      assert.equal((await journal.retain(SWEEP)).conversations, 1);
      const record = await journal.record(helper.run_id);
      const limits = { steps: 40, tool_calls: 100, wall_ms: null };
      const resumed = helper.next({ type: 'run.resumed', boot_id: 'boot_2', limits, note: '' });
      await rejectsWith('conflict', journal.append([resumed]));
      await rejectsWith('conflict', journal.append([{ ...resumed, events: [] }]));
      const another = new SampleRun({ run_id: 'run_another', parent });
      await rejectsWith('conflict', journal.append([another.create(), resumed]));
      assert.deepEqual(await journal.record(helper.run_id), record);
      assert.equal(await journal.record(another.run_id), null);
      const next = new SampleRun({ run_id: 'run_next', parent });
      await journal.append([next.create(), next.start()]);
      assert.equal((await journal.retain(SWEEP)).conversations, 0);
      await journal.append([next.settle()]);
      await expectRecorded(journal, next);
      assert.equal((await journal.retain(SWEEP)).conversations, 1);
      for (const run of [helper, next]) await expectSwept(journal, run);
      for (const run of [parent, first]) await expectRecorded(journal, run);
      assert.deepEqual(await journal.check(), []);
    },
  },
  {
    title: '[DUR-5] a tree that comes to life in the same tick keeps its conversations',
    run: async (journal) => {
      const [parent, helper] = await endedTree(journal, 'run_a', { children: 1 });
      await endedTree(journal, 'run_late', { at: 9_000 });
      const background = new SampleRun({ run_id: 'run_background', parent });
      const appended = journal.append([background.create()]);
      assert.equal((await journal.retain(SWEEP)).conversations, 0);
      await appended;
      for (const run of [parent, helper, background]) if (run) await expectRecorded(journal, run);
    },
  },
];
