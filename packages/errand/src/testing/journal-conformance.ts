import assert from 'node:assert/strict';
import type { RunEvent } from '../domain/run/event.ts';
import { NO_USAGE } from '../domain/run/usage.ts';
import type { Boot, Command, Journal } from '../ports/journal.ts';
import { SampleRun } from './sample-run.ts';

/** What every adapter of the journal port must do: for `it(title, () => run(journal))`, with a new and empty journal each. */
export interface JournalCase {
  readonly title: string;
  /** Rejects with an AssertionError. Leaves the journal open, or closed where that is the matter. */
  readonly run: (journal: Journal) => Promise<void>;
}

const BOOT: Boot = { boot_id: 'boot_1', pid: 4_711, process_start: '88421', host: 'here', started_at: 5 };

function root(run_id = 'run_a', at = 1_000): SampleRun {
  return new SampleRun({ run_id, at });
}

function rejectsWith(code: string, promise: Promise<unknown>): Promise<void> {
  return assert.rejects(promise, (error: { code?: unknown }) => {
    assert.equal(error.code, code);
    return true;
  });
}

async function recorded(journal: Journal, run: SampleRun): Promise<void> {
  assert.deepEqual(await journal.read(run.run_id), run.events);
}

const APPENDING: readonly JournalCase[] = [
  {
    title: '[DUR-1] what was appended is read back, event by event, from any point on',
    run: async (journal) => {
      const run = root();
      await journal.append([run.create()]);
      await journal.append([run.start()]);
      for (const entry of run.step()) await journal.append([entry]);
      await recorded(journal, run);
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
      const entries = [
        ...runs.map((run) => run.create()),
        ...runs.map((run) => run.start()),
        ...runs.flatMap((run) => run.step()),
      ];
      await Promise.all(entries.map((entry) => journal.append([entry])));
      for (const run of runs) await recorded(journal, run);
    },
  },
  {
    title: '[DUR-1] an append is not there before its promise has settled, and is there after it',
    run: async (journal) => {
      const run = root();
      const appended = journal.append([run.create()]);
      assert.deepEqual(await journal.read(run.run_id), []);
      await appended;
      await recorded(journal, run);
    },
  },
  {
    title: '[DUR-1] a seq that is taken is a conflict, and changes nothing',
    run: async (journal) => {
      const run = root();
      const created = run.create();
      await journal.append([created]);
      const stale = { ...created, record: { ...created.record, title: 'stale' } };
      await rejectsWith('conflict', journal.append([stale]));
      await recorded(journal, run);
      assert.equal((await journal.record(run.run_id))?.title, created.record.title);
    },
  },
  {
    title: '[DUR-1] a gap is a conflict: between the stored and the new, inside an entry, and at the start of a run',
    run: async (journal) => {
      const run = root();
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
      const child = new SampleRun({ run_id: 'run_child', parent });
      const created = parent.create();
      await journal.append([created]);
      await rejectsWith('conflict', journal.append([child.create(), created]));
      assert.deepEqual(await journal.read(child.run_id), []);
      assert.equal(await journal.record(child.run_id), null);
      const started = parent.start();
      const again = new SampleRun({ run_id: 'run_child', parent });
      await journal.append([again.create(), started, again.start()]);
      await recorded(journal, again);
      await recorded(journal, parent);
    },
  },
  {
    title: '[DUR-1] a conflict takes no other append of its tick down',
    run: async (journal) => {
      const runs = Array.from({ length: 20 }, (_, index) => root(`run_${index}`));
      const created = runs.map((run) => run.create());
      await journal.append(created);
      const outcomes = await Promise.allSettled(
        runs.map((run, index) => journal.append(index % 5 === 3 ? [created[index] ?? run.start()] : [run.start()])),
      );
      for (const [index, run] of runs.entries()) {
        assert.equal(outcomes[index]?.status, index % 5 === 3 ? 'rejected' : 'fulfilled');
        await recorded(journal, run);
      }
    },
  },
  {
    title: '[DUR-1] what follows a refused append of the same run is refused too',
    run: async (journal) => {
      const run = root();
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
      await recorded(journal, run);
      assert.deepEqual(await journal.read(run.run_id, 9), run.events.slice(9));
    },
  },
  {
    title: '[DUR-1] what JSON cannot say is refused, and nothing else is',
    run: async (journal) => {
      const run = root();
      const other = root('run_b');
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
      await recorded(journal, other);
    },
  },
];

const RECORDS: readonly JournalCase[] = [
  {
    title: '[RUN-6] a run is recorded with its row, the last one given; it stays after the run',
    run: async (journal) => {
      const parent = root();
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
      const created = run.create();
      await rejectsWith('conflict', journal.append([{ ...created, events: [] }]));
      await journal.append([created]);
      await journal.append([{ ...created, events: [], record: { ...created.record, title: 'another' } }]);
      assert.equal((await journal.record(run.run_id))?.title, 'another');
      await journal.append([run.start()]);
      await recorded(journal, run);
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
    title: '[RUN-6] an interrupted run is at rest, and lives again when it goes on',
    run: async (journal) => {
      const run = root();
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
      await journal.append([refused.create(), other.create(), child.create()]);
      await journal.discard(refused.run_id);
      await journal.discard('run_none');
      for (const { run_id } of [refused, child]) {
        assert.deepEqual(await journal.read(run_id), []);
        assert.equal(await journal.record(run_id), null);
      }
      await recorded(journal, other);
      assert.equal((await journal.records()).length, 1);
      const again = new SampleRun({ run_id: 'run_a', opening: text });
      await journal.append([again.create()]);
      await recorded(journal, again);
    },
  },
  {
    title: '[RUN-7] a discard takes its place among the appends of a tick',
    run: async (journal) => {
      const run = root();
      const again = root();
      await Promise.all([
        journal.append([run.create()]),
        journal.append([run.start()]),
        journal.discard(run.run_id),
        journal.append([again.create()]),
      ]);
      await recorded(journal, again);
    },
  },
];

const BLOBS: readonly JournalCase[] = [
  {
    title: '[DUR-1] a text has its content address, at once and for good',
    run: async (journal) => {
      const address = journal.putBlob('You are a helper.');
      assert.equal(journal.putBlob('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
      assert.match(address, /^[0-9a-f]{64}$/u);
      assert.equal(journal.putBlob('You are a helper.'), address);
      assert.notEqual(journal.putBlob('You are another.'), address);
      assert.equal(await journal.getBlob(address), 'You are a helper.');
      await journal.append([root().create()]);
      assert.equal(await journal.getBlob(address), 'You are a helper.');
      assert.equal(await journal.getBlob('0'.repeat(64)), null);
      const odd = '\ufeffa\u0000b\u{1F600}';
      const oddAddress = journal.putBlob(odd);
      await journal.append([root('run_b').create()]);
      assert.equal(await journal.getBlob(oddAddress), odd);
    },
  },
  {
    title: '[DUR-1] a text that was put for itself outlives a run that used the same',
    run: async (journal) => {
      const text = 'x'.repeat(100_000);
      const address = journal.putBlob(text);
      await journal.append([new SampleRun({ run_id: 'run_a', opening: text }).create()]);
      await journal.discard('run_a');
      assert.equal(await journal.getBlob(address), text);
    },
  },
];

const OBSERVING: readonly JournalCase[] = [
  {
    title: '[RUN-2] listeners are told of each commit, in order, and no more once they have left',
    run: async (journal) => {
      const run = root();
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
        await journal.append([root().create()]);
        assert.equal(told, 1);
        assert.match(String(warnings[0]), /a broken listener/u);
      } finally {
        process.emitWarning = emitWarning;
      }
    },
  },
];

/** Resolves with the first `count` commands. */
function commandsOf(journal: Journal, bootId: string, count: number): Promise<readonly Command[]> {
  return new Promise((resolve) => {
    const commands: Command[] = [];
    const leave = journal.receiveCommands(bootId, (command) => {
      commands.push(command);
      if (commands.length < count) return;
      leave();
      resolve(commands);
    });
  });
}

const cancel = (run_id: string) => ({ kind: 'cancel', run_id, reason: 'user' }) as const;

const PROCESSES: readonly JournalCase[] = [
  {
    title: '[DUR-3] starts of processes are recorded until they are closed',
    run: async (journal) => {
      const other = { ...BOOT, boot_id: 'boot_2', process_start: null, started_at: 6 };
      await journal.openBoot(BOOT);
      await journal.openBoot(other);
      assert.deepEqual(await journal.boots(), [BOOT, other]);
      await journal.closeBoot(BOOT.boot_id);
      await journal.closeBoot('boot_none');
      assert.deepEqual(await journal.boots(), [other]);
    },
  },
  {
    title:
      '[DUR-6] commands reach the process they are for, once each, in order: those that waited and those that come',
    run: async (journal) => {
      await journal.openBoot(BOOT);
      await journal.openBoot({ ...BOOT, boot_id: 'boot_2' });
      await journal.sendCommand(BOOT.boot_id, cancel('run_a'));
      await journal.sendCommand('boot_2', cancel('run_other'));
      await journal.sendCommand(BOOT.boot_id, cancel('run_b'));
      const received = commandsOf(journal, BOOT.boot_id, 3);
      await journal.sendCommand(BOOT.boot_id, cancel('run_c'));
      const commands = await received;
      assert.deepEqual(
        commands.map(({ id: _id, ...command }) => command),
        [cancel('run_a'), cancel('run_b'), cancel('run_c')],
      );
      assert.equal(new Set(commands.map((command) => command.id)).size, 3);
      const next = commandsOf(journal, BOOT.boot_id, 1);
      await journal.sendCommand(BOOT.boot_id, cancel('run_d'));
      assert.deepEqual(
        (await next).map((command) => command.run_id),
        ['run_d'],
      );
    },
  },
  {
    title: '[DUR-6] a command for a process that is not there is refused, and goes with the process that closes',
    run: async (journal) => {
      await rejectsWith('conflict', journal.sendCommand('boot_none', cancel('run_a')));
      await journal.openBoot(BOOT);
      await journal.sendCommand(BOOT.boot_id, cancel('run_a'));
      await journal.closeBoot(BOOT.boot_id);
      await journal.openBoot(BOOT);
      const received = commandsOf(journal, BOOT.boot_id, 1);
      await journal.sendCommand(BOOT.boot_id, cancel('run_b'));
      assert.deepEqual(
        (await received).map((command) => command.run_id),
        ['run_b'],
      );
    },
  },
];

const CLOSING: readonly JournalCase[] = [
  {
    title: '[DUR-1] closing waits for what is on its way; afterwards every call says closed',
    run: async (journal) => {
      const run = root();
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
      await rejectsWith('closed', journal.discard(run.run_id));
      await rejectsWith('closed', journal.getBlob('0'));
      await rejectsWith('closed', journal.openBoot(BOOT));
      await rejectsWith('closed', journal.closeBoot(BOOT.boot_id));
      await rejectsWith('closed', journal.boots());
      await rejectsWith('closed', journal.sendCommand(BOOT.boot_id, cancel('run_a')));
      assert.throws(() => journal.putBlob('text'), { code: 'closed' });
      assert.throws(() => journal.observe(() => {}), { code: 'closed' });
      assert.throws(() => journal.receiveCommands(BOOT.boot_id, () => {}), { code: 'closed' });
    },
  },
];

export const JOURNAL_CASES: readonly JournalCase[] = [
  ...APPENDING,
  ...RECORDS,
  ...BLOBS,
  ...OBSERVING,
  ...PROCESSES,
  ...CLOSING,
];
