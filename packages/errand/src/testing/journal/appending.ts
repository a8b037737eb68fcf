import assert from 'node:assert/strict';
import type { RunEvent } from '../../domain/run/event.ts';
import { NO_USAGE } from '../../domain/run/usage.ts';
import { SampleRun } from '../sample-run.ts';
import { claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';

/** Appending and reading back. */
export const APPENDING: readonly JournalCase[] = [
  {
    title: '[DUR-1] what was appended is read back, event by event, from any point on',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      await journal.append([run.create()]);
      await journal.append([run.start()]);
      for (const entry of run.step()) await journal.append([entry]);
      await expectRecorded(journal, run);
      assert.deepEqual(await journal.read(run.run_id, 4), run.events.slice(4));
      assert.deepEqual(await journal.read(run.run_id, run.events.length), []);
      assert.deepEqual(await journal.read(run.run_id, 99), []);
      assert.deepEqual(await journal.read('run_none'), []);
    },
  },
  {
    title: '[DUR-1] appends of one tick keep the order of the calls, over several runs',
    run: async (journal) => {
      const runs = ['run_a', 'run_b', 'run_c'].map((run_id) => root(run_id));
      await claimed(journal, ...runs);
      const entries = [
        ...runs.map((run) => run.create()),
        ...runs.map((run) => run.start()),
        ...runs.flatMap((run) => run.step()),
      ];
      await Promise.all(entries.map((entry) => journal.append([entry])));
      for (const run of runs) await expectRecorded(journal, run);
    },
  },
  {
    title: '[DUR-1] an append is not there before its promise has settled, and is there after it',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const appended = journal.append([run.create()]);
      assert.deepEqual(await journal.read(run.run_id), []);
      await appended;
      await expectRecorded(journal, run);
    },
  },
  {
    title: '[DUR-1] a seq that is taken is a conflict, and changes nothing',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const created = run.create();
      await journal.append([created]);
      const stale = { ...created, record: { ...created.record, title: 'stale' } };
      await rejectsWith('conflict', journal.append([stale]));
      await expectRecorded(journal, run);
      assert.equal((await journal.record(run.run_id))?.title, created.record.title);
    },
  },
  {
    title: '[DUR-1] a gap is a conflict: between the stored and the new, inside an entry, and at the start of a run',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const created = run.create();
      const started = run.start();
      const [, ...later] = run.step();
      await rejectsWith('conflict', journal.append([started]));
      await journal.append([created]);
      for (const entry of later) await rejectsWith('conflict', journal.append([entry]));
      const torn = { ...started, events: [...started.events, ...later.flatMap((entry) => entry.events)] };
      await rejectsWith('conflict', journal.append([torn]));
      assert.deepEqual(await journal.read(run.run_id), run.events.slice(0, 1));
    },
  },
  {
    title: '[DUR-1] entries of one append are recorded together or not at all',
    run: async (journal) => {
      const parent = root();
      await claimed(journal, parent);
      const child = new SampleRun({ run_id: 'run_child', parent });
      const created = parent.create();
      await journal.append([created]);
      await rejectsWith('conflict', journal.append([child.create(), created]));
      assert.deepEqual(await journal.read(child.run_id), []);
      assert.equal(await journal.record(child.run_id), null);
      const started = parent.start();
      const again = new SampleRun({ run_id: 'run_child', parent });
      await journal.append([again.create(), started, again.start()]);
      await expectRecorded(journal, again);
      await expectRecorded(journal, parent);
    },
  },
  {
    title: '[DUR-1] a conflict takes no other append of its tick down',
    run: async (journal) => {
      const runs = Array.from({ length: 20 }, (_, index) => root(`run_${index}`));
      await claimed(journal, ...runs);
      const created = runs.map((run) => run.create());
      await journal.append(created);
      const outcomes = await Promise.allSettled(
        runs.map((run, index) => journal.append(index % 5 === 3 ? [created[index] ?? run.start()] : [run.start()])),
      );
      for (const [index, run] of runs.entries()) {
        assert.equal(outcomes[index]?.status, index % 5 === 3 ? 'rejected' : 'fulfilled');
        await expectRecorded(journal, run);
      }
    },
  },
  {
    title: '[DUR-1] what follows a refused append of the same run is refused too',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const created = run.create();
      await journal.append([created]);
      const refused = journal.append([created]);
      const started = journal.append([run.start()]);
      await rejectsWith('conflict', refused);
      await started;
      const [first, second] = run.step();
      if (!first || !second) throw new Error('a step has entries');
      const gap = journal.append([second]);
      const filled = journal.append([first]);
      await rejectsWith('conflict', gap);
      await filled;
      assert.equal((await journal.read(run.run_id)).length, 3);
    },
  },
  {
    title: '[DUR-1] what is appended is what it was at the call, whatever its owner does to it afterwards',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      await journal.append([run.create(), run.start()]);
      const entries = run.step().map((entry) => ({ ...entry, events: [...entry.events] }));
      const names = entries.map((entry) => [...entry.record.tool_calls]);
      const [first] = entries;
      if (!first) throw new Error('a step has entries');
      const appended = journal.append([first]);
      (first.record.tool_calls as string[]).push('added later');
      first.events.length = 0;
      await appended;
      assert.equal((await journal.read(run.run_id)).length, 3);
      assert.deepEqual((await journal.record(run.run_id))?.tool_calls, names[0]);
    },
  },
  {
    title: '[DUR-1] texts of any size and kind come back as they were',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const texts = [
        'x'.repeat(200_000),
        `\ufeff${'é\u{1F600}\u0000"\\\n'.repeat(9_000)}`,
        '\ud800'.repeat(40_000),
        '',
      ];
      await journal.append([run.create(), run.start()]);
      for (const text of texts) for (const entry of run.step(text)) await journal.append([entry]);
      const facts = { lists: [{ text: 'y'.repeat(50_000) }, null, ['z'.repeat(40_000)]], $blob: 'no address' };
      const usage = NO_USAGE;
      const calls = [{ call_id: 'call_x', name: 'todo', args: `"${'a'.repeat(40_000)}"` }];
      const model = { step: 9, finish: 'tool_calls', usage, model_used: null, active_ms: 1, ms: 1 } as const;
      const tool = { step: 9, call_id: 'call_x', name: 'todo', status: 'ok', output: '', ms: 1, active_ms: 1 } as const;
      await journal.append([
        run.next({ type: 'model.finished', text: '', calls, ...model, extras: facts }),
        run.next({ type: 'tool.finished', ...tool, facts }),
        run.settle(texts[0]),
      ]);
      await expectRecorded(journal, run);
      assert.deepEqual(await journal.read(run.run_id, 9), run.events.slice(9));
    },
  },
  {
    title: '[DUR-1] what JSON cannot say is refused, and nothing else is',
    run: async (journal) => {
      const run = root();
      await claimed(journal, run);
      const other = root('run_b');
      await claimed(journal, other);
      const circular: Record<string, unknown> = {};
      circular.self = circular;
      const created = run.create();
      const broken = {
        ...created,
        events: created.events.map((event) => ({ ...event, circular }) as unknown as RunEvent),
      };
      const appended = [journal.append([broken]), journal.append([other.create()])];
      await rejectsWith('io', appended[0] ?? Promise.resolve());
      await appended[1];
      assert.equal(await journal.record(run.run_id), null);
      await expectRecorded(journal, other);
    },
  },
];
