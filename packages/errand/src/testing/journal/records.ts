import assert from 'node:assert/strict';
import type { Journal } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';
import { claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';
import { endedTree, KEEP_ALL, withSpec } from './trees.ts';

/** Rows of runs, and whole trees that are discarded. */
export const RECORDS: readonly JournalCase[] = [
  {
    title: '[RUN-6] a run is recorded with its row, the last one given; it stays after the run',
    run: async (journal) => {
      const parent = root();
      await claimed(journal, parent);
      const child = new SampleRun({ run_id: 'run_child', parent });
      assert.equal(await journal.record(child.run_id), null);
      await journal.append([parent.create(), child.create(), child.start()]);
      const steps = child.step();
      await Promise.all(steps.map((entry) => journal.append([entry])));
      assert.deepEqual(await journal.record(child.run_id), steps.at(-1)?.record);
      const settled = child.settle();
      await journal.append([settled]);
      assert.deepEqual(await journal.record(child.run_id), settled.record);
    },
  },
  {
    title: '[RUN-6] a row may change without an event, but not before the run has begun',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const created = run.create();
      await rejectsWith('conflict', journal.append([{ ...created, events: [] }]));
      await journal.append([created]);
      await journal.append([{ ...created, events: [], record: { ...created.record, title: 'another' } }]);
      assert.equal((await journal.record(run.run_id))?.title, 'another');
      await journal.append([run.start()]);
      await expectRecorded(journal, run);
    },
  },
  {
    title:
      '[RUN-6] rows come in order of creation, whatever the clock said, and can be asked for by tree, life and time',
    run: async (journal) => {
      const late = root('run_late', 9_000);
      const early = root('run_early', 1_000);
      const child = new SampleRun({ run_id: 'run_child', parent: early, at: 2_000 });
      const resting = root('run_resting', 500);
      await claimed(journal, late, early, resting);
      await journal.append([late.create(), early.create(), resting.create(), child.create()]);
      await journal.append([early.start(), early.settle(), resting.start(), resting.settle(), late.start()]);
      const asked = async (filter: Parameters<Journal['records']>[0]) =>
        (await journal.records(filter)).map((record) => record.run_id);
      assert.deepEqual(await asked(undefined), ['run_late', 'run_early', 'run_resting', 'run_child']);
      assert.deepEqual(await asked({}), ['run_late', 'run_early', 'run_resting', 'run_child']);
      assert.deepEqual(await asked({ live: false }), ['run_late', 'run_early', 'run_resting', 'run_child']);
      assert.deepEqual(await asked({ root_id: 'run_early' }), ['run_early', 'run_child']);
      assert.deepEqual(await asked({ live: true }), ['run_late', 'run_child']);
      assert.deepEqual(await asked({ live: true, root_id: 'run_early' }), ['run_child']);
      // Ended at 502 and 1,002; the child lives on.
      assert.deepEqual(await asked({ since: 1_002 }), ['run_late', 'run_early', 'run_child']);
      assert.deepEqual(await asked({ since: 1_003 }), ['run_late', 'run_child']);
      assert.deepEqual(await asked({ since: 99_000 }), ['run_late', 'run_child']);
      assert.deepEqual(await asked({ since: 99_000, root_id: 'run_early' }), ['run_child']);
    },
  },
  {
    title: '[DUR-4] runs that began with the transcript of another are found by it, whatever became of them since',
    run: async (journal) => {
      const runs = ['run_a', 'run_b', 'run_c', 'run_d'].map((run_id) => root(run_id));
      const [origin = root(), first = root(), other = root(), second = root()] = runs;
      await claimed(journal, ...runs);
      await journal.append([
        origin.create(),
        withSpec(first.create(), { resumed_from: 'run_a' }),
        withSpec(other.create(), { resumed_from: 'run_b' }),
        withSpec(second.create(), { resumed_from: 'run_a' }),
      ]);
      const asked = async (filter: Parameters<Journal['records']>[0]) =>
        (await journal.records(filter)).map((record) => record.run_id);
      assert.deepEqual(await asked({ resumed_from: 'run_a' }), ['run_b', 'run_d']);
      for (const entry of [first.start(), ...first.step(), first.settle()]) {
        await journal.append([withSpec(entry, { resumed_from: 'run_a' })]);
      }
      assert.deepEqual(await asked({ resumed_from: 'run_a' }), ['run_b', 'run_d']);
      assert.deepEqual(await asked({ resumed_from: 'run_a', live: true }), ['run_d']);
      assert.deepEqual(await asked({ resumed_from: 'run_b', root_id: 'run_c' }), ['run_c']);
      assert.deepEqual(await asked({ resumed_from: 'run_b', root_id: 'run_a' }), []);
      assert.deepEqual(await asked({ resumed_from: 'run_d' }), []);
      assert.deepEqual(await journal.check(), []);
    },
  },
  {
    title: '[DUR-7] nothing of a sound journal is unreadable, whatever became of its runs',
    run: async (journal) => {
      assert.deepEqual(await journal.unreadable('run_none'), []);
      await endedTree(journal, 'run_a', { children: 2, output: 'x'.repeat(40_000) });
      await endedTree(journal, 'run_late', { at: 9_000 });
      const next = root('run_next');
      await claimed(journal, next);
      await journal.append([withSpec(next.create(), { resumed_from: 'run_a' })]);
      for (const rootId of ['run_a', 'run_late', 'run_next']) assert.deepEqual(await journal.unreadable(rootId), []);
      assert.equal((await journal.retain({ ...KEEP_ALL, hiddenAge: 1_000 })).conversations, 2);
      assert.deepEqual(await journal.unreadable('run_a'), []);
      await journal.discard('run_a', 1);
      assert.deepEqual(await journal.unreadable('run_a'), []);
    },
  },
  {
    title: '[RUN-6] an interrupted run is at rest, and lives again when it goes on',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const words = { answer: '', partial: true, message: 'Errand was restarted.', active_ms: 1 };
      await journal.append([run.create(), run.start()]);
      await journal.append([
        run.next({ type: 'run.settled', state: 'interrupted', reason: 'restart', ending: 1, ...words }),
      ]);
      assert.equal((await journal.records({ live: true })).length, 0);
      const limits = { steps: 40, tool_calls: 100, wall_ms: null };
      await journal.append([run.next({ type: 'run.resumed', boot_id: 'boot_2', limits, note: '' })]);
      assert.equal((await journal.records({ live: true })).length, 1);
    },
  },
  {
    title: '[RUN-7] a discarded tree is gone as if it had never been; others stay',
    run: async (journal) => {
      const text = 'x'.repeat(100_000);
      const refused = new SampleRun({ run_id: 'run_a', opening: text });
      const child = new SampleRun({ run_id: 'run_child', parent: refused });
      const other = new SampleRun({ run_id: 'run_b', opening: text });
      await claimed(journal, refused, other);
      await journal.append([refused.create(), other.create(), child.create()]);
      await journal.discard(refused.run_id, 1);
      await rejectsWith('fenced', journal.discard('run_none', 1));
      for (const { run_id } of [refused, child]) {
        assert.deepEqual(await journal.read(run_id), []);
        assert.equal(await journal.record(run_id), null);
      }
      await expectRecorded(journal, other);
      assert.equal((await journal.records()).length, 1);
      const again = new SampleRun({ run_id: 'run_a', opening: text });
      await claimed(journal, again);
      await journal.append([again.create()]);
      await expectRecorded(journal, again);
    },
  },
  {
    title: '[RUN-7] a discard takes its place among the appends of a tick',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const again = root();
      await Promise.all([
        journal.append([run.create()]),
        journal.append([run.start()]),
        journal.discard(run.run_id, 1),
        again.claim(journal),
        journal.append([again.create()]),
      ]);
      await expectRecorded(journal, again);
    },
  },
];
