import assert from 'node:assert/strict';
import { SampleRun } from '../sample-run.ts';
import { claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';
import { CONVERSATIONS } from './conversations.ts';
import { endedTree, idsOf, interrupt, KEEP_ALL, KEEP_NONE } from './trees.ts';
import { USAGE } from './usage.ts';

/** Trees that are deleted. */
const DELETING: readonly JournalCase[] = [
  {
    title: '[DUR-5] trees that ended long ago go, with all they had; later ones stay',
    run: async (journal) => {
      const rule = { ...KEEP_ALL, now: 10_000, age: 5_000 };
      const [old] = await endedTree(journal, 'run_old', { at: 1_000, children: 2 });
      const [late] = await endedTree(journal, 'run_late', { at: 9_000, children: 1 });
      assert.deepEqual(await journal.retain(rule), { runs: 3, conversations: 0 });
      assert.deepEqual(await idsOf(journal), ['run_late', 'run_late_0']);
      assert.deepEqual(await journal.read(old.run_id), []);
      assert.equal(await journal.record('run_old_0'), null);
      await expectRecorded(journal, late);
      assert.deepEqual(await journal.retain(rule), { runs: 0, conversations: 0 });
    },
  },
  {
    title: '[DUR-5] a tree is as old as its last ending',
    run: async (journal) => {
      const parent = root('run_a', 1_000);
      const child = new SampleRun({ run_id: 'run_child', parent, at: 9_000 });
      await claimed(journal, parent);
      await endedTree(journal, 'run_late', { at: 20_000 });
      await journal.append([parent.create(), child.create(), parent.start(), parent.settle()]);
      await journal.append([child.start(), child.settle()]);
      const rule = { ...KEEP_ALL, age: 10 };
      assert.equal((await journal.retain({ ...rule, now: 9_012 })).runs, 0);
      assert.equal((await journal.retain({ ...rule, now: 9_013 })).runs, 2);
    },
  },
  {
    title: '[DUR-5] [DUR-7] a clock that stands far ahead deletes nothing that is not old beside the latest ending',
    run: async (journal) => {
      for (const [index, at] of [1_000, 8_000, 9_000].entries()) await endedTree(journal, `run_${index}`, { at });
      const rule = { ...KEEP_ALL, age: 5_000 };
      assert.equal((await journal.retain({ ...rule, now: 900_000_000 })).runs, 1);
      assert.equal((await journal.retain({ ...rule, now: Number.MAX_SAFE_INTEGER })).runs, 0);
      assert.deepEqual(await idsOf(journal), ['run_1', 'run_2']);
      assert.equal((await journal.retain({ ...rule, now: 0 })).runs, 0);
    },
  },
  {
    title: '[DUR-5] of more than are to be kept the oldest trees go; none of the newest is torn',
    run: async (journal) => {
      for (const [index, at] of [3_000, 1_000, 4_000, 2_000].entries()) {
        await endedTree(journal, `run_${index}`, { at, children: 1 });
      }
      assert.equal((await journal.retain({ ...KEEP_ALL, keep: 8 })).runs, 0);
      assert.equal((await journal.retain({ ...KEEP_ALL, keep: 5 })).runs, 2);
      assert.deepEqual(await idsOf(journal), ['run_0', 'run_0_0', 'run_2', 'run_2_0', 'run_3', 'run_3_0']);
      assert.equal((await journal.retain({ ...KEEP_ALL, keep: 2 })).runs, 4);
      assert.deepEqual(await idsOf(journal), ['run_2', 'run_2_0']);
    },
  },
  {
    title: '[DUR-5] what lives or is interrupted stays, with its whole tree, whatever its age',
    run: async (journal) => {
      const [living] = await endedTree(journal, 'run_living', { children: 1 });
      const late = new SampleRun({ run_id: 'run_background', parent: living });
      const queued = root('run_queued');
      const resumable = root('run_resumable');
      await claimed(journal, queued, resumable);
      await journal.append([late.create(), late.start(), queued.create()]);
      await journal.append([resumable.create(), resumable.start(), interrupt(resumable)]);
      await endedTree(journal, 'run_over');
      const staying = ['run_living', 'run_living_0', 'run_background', 'run_queued', 'run_resumable'];
      assert.equal((await journal.retain(KEEP_NONE)).runs, 1);
      assert.deepEqual(await idsOf(journal), staying);
      await journal.append([late.settle()]);
      assert.equal((await journal.retain(KEEP_NONE)).runs, 3);
    },
  },
  {
    title: '[DUR-5] what comes to life in the same tick stays',
    run: async (journal) => {
      const [parent] = await endedTree(journal, 'run_over', { children: 1 });
      const late = new SampleRun({ run_id: 'run_background', parent });
      const appended = journal.append([late.create(), late.start()]);
      assert.deepEqual(await journal.retain(KEEP_NONE), { runs: 0, conversations: 0 });
      await appended;
      assert.deepEqual(await idsOf(journal), ['run_over', 'run_over_0', 'run_background']);
    },
  },
  {
    title: '[DUR-5] a helper that was interrupted under a root that is over keeps nothing',
    run: async (journal) => {
      const [parent] = await endedTree(journal, 'run_over');
      const helper = new SampleRun({ run_id: 'run_over_0', parent });
      await journal.append([helper.create(), helper.start()]);
      assert.equal((await journal.retain(KEEP_NONE)).runs, 0);
      await journal.append([interrupt(helper)]);
      assert.equal((await journal.retain(KEEP_NONE)).runs, 2);
      assert.deepEqual(await idsOf(journal), []);
    },
  },
  {
    title: '[DUR-5] a tree that went frees its name, its lease, and the texts that no other holds',
    run: async (journal) => {
      const opening = 'x'.repeat(100_000);
      await endedTree(journal, 'run_a', { opening });
      const [other] = await endedTree(journal, 'run_b', { at: 9_000, opening });
      let told = 0;
      journal.observe(() => told++);
      assert.equal((await journal.retain({ ...KEEP_ALL, age: 5_000 })).runs, 1);
      assert.ok(told > 0);
      await expectRecorded(journal, other);
      const again = root('run_a');
      await rejectsWith('fenced', journal.append([again.create()]));
      const afresh = root('run_a');
      await claimed(journal, afresh);
      await journal.append([afresh.create()]);
      await expectRecorded(journal, afresh);
    },
  },
  {
    title: '[DUR-5] a large tree goes while others are written',
    run: async (journal) => {
      await endedTree(journal, 'run_large', { children: 300 });
      const run = root('run_b', 9_000);
      await claimed(journal, run);
      const retained = journal.retain(KEEP_NONE);
      for (const entry of [run.create(), run.start(), ...run.step(), ...run.step()]) await journal.append([entry]);
      assert.deepEqual(await retained, { runs: 301, conversations: 0 });
      await expectRecorded(journal, run);
      assert.deepEqual(await idsOf(journal), ['run_b']);
    },
  },
];

/** The search for damage. */
const CHECKING: readonly JournalCase[] = [
  {
    title: '[DUR-7] a sound journal has no problems; a row that its events do not add up to is one',
    run: async (journal) => {
      assert.deepEqual(await journal.check(), []);
      const system = journal.putBlob('You are a helper.');
      const run = new SampleRun({ run_id: 'run_a', system, tools: journal.putBlob('[]') });
      const child = new SampleRun({ run_id: 'run_child', parent: run, system, tools: journal.putBlob('[]') });
      await claimed(journal, run);
      await journal.append([run.create(), child.create(), run.start()]);
      for (const entry of run.step('x'.repeat(50_000))) await journal.append([entry]);
      assert.deepEqual(await journal.check(), []);
      const entry = child.start();
      await journal.append([{ ...entry, record: { ...entry.record, steps: 7, title: 'another' } }]);
      const problems = await journal.check();
      assert.equal(problems.length, 1);
      assert.match(problems[0] ?? '', /run_child.*title, steps/u);
    },
  },
];

/** Retention, what runs have used, and the search for damage. */
export const CARE: readonly JournalCase[] = [...DELETING, ...CONVERSATIONS, ...USAGE, ...CHECKING];
