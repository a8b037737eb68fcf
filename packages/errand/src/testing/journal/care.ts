import assert from 'node:assert/strict';
import type { Journal } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';
import { claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';

/** A tree of `1 + children` runs that all completed, the last about when `at` says. */
async function ended(journal: Journal, run_id: string, { at = 1_000, children = 0, opening = 'Count.' } = {}) {
  const parent = new SampleRun({ run_id, at, opening });
  const runs = Array.from(
    { length: children },
    (_, index) => new SampleRun({ run_id: `${run_id}_${index}`, parent, at, opening }),
  );
  await parent.claim(journal);
  await journal.append([parent.create(), parent.start(), ...runs.flatMap((run) => [run.create(), run.start()])]);
  for (const entry of [...runs, parent].flatMap((run) => [...run.step(), run.settle()])) await journal.append([entry]);
  return parent;
}

const INTERRUPTED = {
  state: 'interrupted',
  reason: 'restart',
  ending: 1,
  answer: '',
  partial: true,
  message: 'Errand was restarted.',
  active_ms: 1,
} as const;

async function interrupted(journal: Journal, run: SampleRun): Promise<void> {
  await claimed(journal, run);
  await journal.append([run.create(), run.start(), run.next({ type: 'run.settled', ...INTERRUPTED })]);
}

async function kept(journal: Journal): Promise<readonly string[]> {
  return (await journal.records()).map((record) => record.run_id);
}

const EVERYTHING = { endedBefore: Number.MAX_SAFE_INTEGER, keep: 0 };

/** Retention, and the search for damage. */
export const CARE: readonly JournalCase[] = [
  {
    title: '[DUR-5] trees that ended long ago go, with all they had; later ones stay',
    run: async (journal) => {
      const old = await ended(journal, 'run_old', { at: 1_000, children: 2 });
      const late = await ended(journal, 'run_late', { at: 9_000, children: 1 });
      assert.equal(await journal.retain({ endedBefore: 5_000, keep: 100 }), 3);
      assert.deepEqual(await kept(journal), ['run_late', 'run_late_0']);
      assert.deepEqual(await journal.read(old.run_id), []);
      assert.equal(await journal.record('run_old_0'), null);
      await expectRecorded(journal, late);
      assert.equal(await journal.retain({ endedBefore: 5_000, keep: 100 }), 0);
    },
  },
  {
    title: '[DUR-5] a tree is as old as its last ending',
    run: async (journal) => {
      const parent = root('run_a', 1_000);
      const child = new SampleRun({ run_id: 'run_child', parent, at: 9_000 });
      await claimed(journal, parent);
      await journal.append([parent.create(), child.create(), parent.start(), parent.settle()]);
      await journal.append([child.start(), child.settle()]);
      assert.equal(await journal.retain({ endedBefore: 5_000, keep: 100 }), 0);
      assert.equal(await journal.retain({ endedBefore: 9_003, keep: 100 }), 2);
    },
  },
  {
    title: '[DUR-5] of more than are to be kept the oldest trees go; none of the newest is torn',
    run: async (journal) => {
      for (const [index, at] of [3_000, 1_000, 4_000, 2_000].entries()) {
        await ended(journal, `run_${index}`, { at, children: 1 });
      }
      assert.equal(await journal.retain({ endedBefore: 0, keep: 8 }), 0);
      assert.equal(await journal.retain({ endedBefore: 0, keep: 5 }), 2);
      assert.deepEqual(await kept(journal), ['run_0', 'run_0_0', 'run_2', 'run_2_0', 'run_3', 'run_3_0']);
      assert.equal(await journal.retain({ endedBefore: 0, keep: 2 }), 4);
      assert.deepEqual(await kept(journal), ['run_2', 'run_2_0']);
    },
  },
  {
    title: '[DUR-5] what lives or is interrupted stays, with its whole tree, whatever its age',
    run: async (journal) => {
      const living = await ended(journal, 'run_living', { children: 1 });
      const late = new SampleRun({ run_id: 'run_background', parent: living });
      const queued = root('run_queued');
      const resumable = root('run_resumable');
      await claimed(journal, queued);
      await journal.append([late.create(), late.start(), queued.create()]);
      await interrupted(journal, resumable);
      await ended(journal, 'run_over');
      const staying = ['run_living', 'run_living_0', 'run_background', 'run_queued', 'run_resumable'];
      assert.equal(await journal.retain(EVERYTHING), 1);
      assert.deepEqual(await kept(journal), staying);
      await journal.append([late.settle()]);
      assert.equal(await journal.retain(EVERYTHING), 3);
    },
  },
  {
    title: '[DUR-5] a helper that was interrupted under a root that is over keeps nothing',
    run: async (journal) => {
      const parent = await ended(journal, 'run_over');
      const helper = new SampleRun({ run_id: 'run_over_0', parent });
      await journal.append([helper.create(), helper.start()]);
      assert.equal(await journal.retain(EVERYTHING), 0);
      await journal.append([helper.next({ type: 'run.settled', ...INTERRUPTED })]);
      assert.equal(await journal.retain(EVERYTHING), 2);
      assert.deepEqual(await kept(journal), []);
    },
  },
  {
    title: '[DUR-5] a tree that went frees its name, its lease, and the texts that no other holds',
    run: async (journal) => {
      const opening = 'x'.repeat(100_000);
      await ended(journal, 'run_a', { opening });
      const other = await ended(journal, 'run_b', { at: 9_000, opening });
      let told = 0;
      journal.observe(() => told++);
      assert.equal(await journal.retain({ endedBefore: 5_000, keep: 100 }), 1);
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
      await ended(journal, 'run_large', { children: 300 });
      const run = root('run_b', 9_000);
      await claimed(journal, run);
      const retained = journal.retain({ endedBefore: 5_000, keep: 1_000 });
      for (const entry of [run.create(), run.start(), ...run.step(), ...run.step()]) await journal.append([entry]);
      assert.equal(await retained, 301);
      await expectRecorded(journal, run);
      assert.deepEqual(await kept(journal), ['run_b']);
    },
  },
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
