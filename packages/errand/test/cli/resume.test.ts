import { describe, expect, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import type { Reason } from '../../src/domain/run/status.ts';
import { Story } from '../terminal/story.ts';
import { type AroundOptions, type CommandLine, createCommandLine, until } from './around.ts';
import { FakeRuntime, sampleResult } from './fake-runtime.ts';

const folder = import.meta.dirname;

interface Past {
  readonly title?: string;
  readonly state?: 'interrupted' | 'completed' | 'queued';
  readonly reason?: Reason | null;
  /** Steps of one tool call each. */
  readonly steps?: number;
  readonly limits?: { readonly steps: number; readonly tool_calls: number; readonly wall_ms: number | null };
  readonly cwd?: string;
  readonly resumed_from?: string;
}

/** Runs of earlier processes, each with a helper where it has a step, and a line that goes on with them. */
function line(past: Readonly<Record<string, Past>>, given: AroundOptions = {}): { line: CommandLine; story: Story } {
  const story = new Story().pass(-60_000);
  for (const [run_id, one] of Object.entries(past)) tell(story, run_id, one);
  story.pass(60_000);
  const runtime = new FakeRuntime();
  const events = story.events.map((event) => {
    const { cwd = folder, limits, resumed_from } = past[event.run_id] ?? {};
    if (event.type !== 'run.created') return event;
    return { ...event, cwd, ...(limits ? { limits } : {}), ...(resumed_from ? { resumed_from } : {}) };
  });
  runtime.record(events);
  const created = createCommandLine({ runtime, ...given });
  runtime.onStart = (run_id) => {
    goOn(story, created, run_id);
    created.runtime.record([story.settle(run_id)]);
    created.runtime.finish(sampleResult(run_id, { answer: `answer of ${run_id}`, helpers: helpersOf(story, run_id) }));
  };
  return { line: created, story };
}

function tell(story: Story, run_id: string, { title, state = 'interrupted', reason, steps = 0 }: Past): void {
  if (state === 'queued') {
    story.create(run_id, title ? { title } : {});
    return;
  }
  story.start(run_id, title ? { title } : {});
  for (let step = 0; step < steps; step++) {
    const helper = `${run_id}_helper${step}`;
    story.answer(run_id, '', { calls: ['agent'] });
    story.startCall(run_id, 'agent');
    story.start(helper, { parent: run_id, title: 'looks' });
    story.settle(helper);
    story.endCall(run_id, 'agent');
  }
  story.settle(run_id, '', { state, reason: reason ?? (state === 'interrupted' ? 'restart' : null) });
}

function helpersOf(story: Story, root: string) {
  const ids = new Set(story.events.flatMap(({ run_id, parent_id }) => (parent_id === root ? [run_id] : [])));
  return [...ids].map((run_id) => ({ run_id, title: 'looks' }) as ReturnType<typeof sampleResult>['helpers'][number]);
}

/** What the runtime records when a run goes on. */
function goOn(story: Story, { runtime }: CommandLine, run_id: string): void {
  const limits = { steps: 60, tool_calls: 400, wall_ms: null };
  runtime.record([story.tell(run_id, { type: 'run.resumed', boot_id: 'boot_2', limits, note: '' })]);
  runtime.record([story.tell(run_id, { type: 'run.started' })]);
  runtime.record(story.answer(run_id, 'the answer'));
}

describe('errand resume <run>', () => {
  test('[DUR-4] goes on with the run, in its own folder, and prints what run prints', async () => {
    const { line: text } = line({ run_1: { title: 'the task', steps: 1 } });
    expect(await text.run('resume', 'the task')).toBe(0);
    expect(text.runtime.resumed).toEqual([{ runId: 'run_1' }]);
    expect(text.opened).toEqual(['read', 'run']);
    expect(text.folders[1]).toBe(folder);
    expect(text.stdout()).toBe('answer of run_1\n');
    // Nothing is said again of what an earlier process has said.
    expect(text.stderr()).toBe('● run_1 "the task"\n');
    expect(text.runtime.closes).toBe(2);
  });

  test('[DUR-4] [SUR-1] its own line comes before those of its helpers, which may begin first', async () => {
    const { line: one, story } = line({ run_1: { title: 'the task' } });
    one.runtime.onStart = (run_id) => {
      story.pass(1_000);
      one.runtime.record(story.start('late', { parent: run_id, title: 'looks' }));
      one.runtime.record([story.settle('late')]);
      goOn(story, one, run_id);
      one.runtime.record([story.settle(run_id)]);
      one.runtime.finish(sampleResult(run_id));
    };
    await one.run('resume', 'run_1');
    expect(one.stderr().split('\n')).toEqual([
      '● run_1 "the task"',
      '● scout "looks" started (late)',
      '✓ scout "looks" completed: 0ms, 0 tokens, 0 calls',
      '',
    ]);
  });

  test('[DUR-4] [RUN-4] where it does not complete again, what its helpers had answered can be read', async () => {
    for (const argv of [['run_1'], ['--all']]) {
      const { line: one, story } = line({ run_1: { steps: 1 } });
      one.runtime.onStart = (run_id) => {
        const message = 'Errand was ended while it ran.';
        const helpers = helpersOf(story, run_id);
        one.runtime.finish(
          sampleResult(run_id, { state: 'interrupted', reason: 'restart', answer: '', message, helpers }),
        );
      };
      expect(await one.run('resume', ...argv, '--quiet')).toBe(3);
      expect(one.stderr()).toMatch(
        /^errand: there is no answer: [^\n]+\nerrand show run_1_helper0 {3}# looks: completed\n$/u,
      );
    }
  });

  test('[DUR-4] [SUR-2] stream-json has the events from the first on, those of helpers too', async () => {
    const { line: stream, story } = line({ run_1: { steps: 2 } });
    await stream.run('resume', 'run_1', '--output-format', 'stream-json');
    const lines = stream
      .stdout()
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(lines.at(-1)).toMatchObject({ type: 'result', run_id: 'run_1' });
    const own = (events: readonly { run_id?: unknown }[]) => events.filter(({ run_id }) => run_id === 'run_1');
    expect(own(lines.slice(0, -1)).map((event) => ({ ...event, cwd: '/work' }))).toEqual(
      own(story.events).map((event) => ({ ...event, cwd: '/work' })),
    );
    expect(lines).toHaveLength(story.events.length + 1);
  });

  test('[DUR-4] flags raise its bounds; one that is higher already stays', async () => {
    const limits = { steps: 60, tool_calls: 400, wall_ms: 600_000 };
    const raise = async (...flags: string[]) => {
      const { line: one } = line({ run_1: { limits } });
      await one.run('resume', 'run_1', ...flags);
      return one.runtime.resumed[0];
    };
    expect(await raise('--steps', '99', '--wall', '20m', '--tool-calls', '500')).toEqual({
      runId: 'run_1',
      limits: { steps: 99, tool_calls: 500, wall_ms: 1_200_000 },
    });
    expect(await raise('--steps', '5', '--wall', '1m')).toEqual({ runId: 'run_1', limits });
  });

  test('[DUR-4] a bound that it has reached is refused with the flag, before anything is opened to write', async () => {
    const limits = { steps: 1, tool_calls: 400, wall_ms: null };
    const { line: one } = line({ run_1: { steps: 1, reason: 'steps', limits } });
    expect(await one.run('resume', 'run_1')).toBe(2);
    expect(one.stderr()).toBe(
      'errand: run_1 has used up the 1 step that it may take; to go on with it: errand resume run_1 --steps 2.\n',
    );
    expect(one.opened).toEqual(['read']);
    const { line: two } = line({ run_1: { steps: 1, reason: 'steps', limits } });
    expect(await two.run('resume', 'run_1', '--steps', '2')).toBe(0);
  });

  test('[DUR-4] one that has ended is gone on with by a new run, which is said; asked twice, by the same one', async () => {
    const first = line({ run_1: { title: 'the task', state: 'completed' } });
    first.line.runtime.successors.set('run_1', 'run_2');
    first.line.runtime.onStart = () => first.line.runtime.finish(sampleResult('run_2'));
    expect(await first.line.run('resume', 'run_1', '--message', ' and then? ', '--quiet')).toBe(0);
    expect(first.line.runtime.resumed).toEqual([{ runId: 'run_1', message: 'and then?' }]);
    expect(first.line.stderr()).toBe(
      'errand: run_1 "the task" had ended (completed): a new run, run_2, goes on from its transcript.\n',
    );

    const again = line({ run_1: { state: 'completed' }, run_2: { state: 'completed', resumed_from: 'run_1' } });
    again.line.runtime.successors.set('run_1', 'run_2');
    again.line.runtime.onStart = () => again.line.runtime.finish(sampleResult('run_2'));
    expect(await again.line.run('resume', 'run_1', '--message', 'and then?')).toBe(0);
    expect(again.line.stderr()).toContain('was gone on with before, by run_2. It has its own message');
  });

  test('[DUR-4] where that new run has reached a bound, it is that bound which is in the way', async () => {
    const limits = { steps: 1, tool_calls: 400, wall_ms: null };
    const { line: one } = line({
      run_1: { state: 'completed' },
      run_2: { resumed_from: 'run_1', steps: 1, reason: 'steps', limits },
    });
    expect(await one.run('resume', 'run_1')).toBe(2);
    expect(one.stderr()).toContain('run_2 has used up');
  });

  test('[DUR-4] the exit code is that of how it ended, and an interrupted end says how to go on', async () => {
    const { line: one } = line({ run_1: {} });
    one.runtime.onStart = () =>
      one.runtime.finish(
        sampleResult('run_1', { state: 'interrupted', reason: 'steps', partial: true, answer: 'half' }),
      );
    expect(await one.run('resume', 'run_1', '--quiet')).toBe(3);
    expect(one.stderr()).toContain('go on with it: errand resume run_1 --steps 120\n');
  });

  test('[SUR-1] Ctrl-C stops it: 130', async () => {
    const { line: one } = line({ run_1: {} });
    one.runtime.onStart = () => one.signal('SIGINT');
    one.runtime.onCancel = (reason) => one.runtime.finish(sampleResult('run_1', { state: 'cancelled', reason }));
    expect(await one.run('resume', 'run_1', '--quiet')).toBe(130);
    expect(one.runtime.cancelled).toEqual(['signal']);
  });

  test.each([
    ['running', 2],
    ['not_found', 2],
    ['no_model', 4],
    ['full', 4],
  ] as const)('[DUR-4] refused with %s: exit %d and one sentence', async (code, exit) => {
    const { line: one } = line({ run_1: {} });
    one.runtime.refusals.set('run_1', { code, message: 'It belongs to process 7.' });
    expect(await one.run('resume', 'run_1')).toBe(exit);
    expect(one.stdout()).toBe('');
    expect(one.stderr()).toBe('errand: It belongs to process 7.\n');
  });

  test('[DUR-7] a store that cannot be written is exit 4 with its own sentence', async () => {
    const { line: one } = line({ run_1: {} });
    one.runtime.resume = () => Promise.reject(new CodedError('read_only', 'The store cannot be written.'));
    expect(await one.run('resume', 'run_1')).toBe(4);
    expect(one.stderr()).toBe('errand: The store cannot be written.\n');
  });

  test.each<[string, string[], string]>([
    ['neither a run nor --all', [], 'say which run is to go on'],
    ['both', ['run_1', '--all'], 'say which run is to go on'],
    ['an unknown run', ['run_x'], 'there is no run "run_x"'],
    ['bad steps', ['run_1', '--steps', '0'], '--steps takes a whole number from 1'],
    ['a bad time', ['run_1', '--wall', 'soon'], '--wall takes a time'],
    ['a message for an interrupted run', ['run_1', '--message', 'x'], '--message is for a run that has ended'],
    ['an empty message', ['run_1', '--message', ' '], '--message takes a text'],
    ['a message for all', ['--all', '--message', 'x'], '--message is for one run'],
    ['a bad format', ['run_1', '--output-format', 'xml'], 'one of text, json, stream-json'],
    ['a folder that is gone', ['run_gone'], 'there is no folder /not/there'],
  ])('[SUR-1] %s is exit 2, and nothing goes on', async (_name, argv, says) => {
    const { line: one } = line({ run_1: {}, run_gone: { cwd: '/not/there' } });
    expect(await one.run('resume', ...argv)).toBe(2);
    expect(one.stderr()).toContain(says);
    expect(one.stdout()).toBe('');
    expect(one.runtime.resumed).toEqual([]);
    expect(one.opened).not.toContain('run');
  });
});

describe('errand resume --all', () => {
  const limits = { steps: 1, tool_calls: 400, wall_ms: null };
  const past = {
    run_1: { title: 'one', steps: 1 },
    run_2: { title: 'ended', state: 'completed' },
    run_3: { title: 'three', state: 'queued' },
    run_4: { title: 'four', steps: 1, reason: 'steps', limits },
    run_5: { title: 'five', cwd: '/not/there' },
  } as const satisfies Record<string, Past>;
  const skipped = [
    'errand: run_4 "four" does not go on: run_4 has used up the 1 step that it may take; to go on with it: errand resume run_4 --steps 2.',
    'errand: run_5 "five" does not go on: there is no folder /not/there.',
  ];

  test('[DUR-4] goes on with each interrupted or queued root, and says why one is left', async () => {
    const { line: all } = line(past);
    expect(await all.run('resume', '--all', '--quiet')).toBe(4);
    expect(all.runtime.resumed.map(({ runId }) => runId)).toEqual(['run_1', 'run_3']);
    expect(all.stdout()).toBe('# one\n\nanswer of run_1\n\n# three\n\nanswer of run_3\n');
    expect(all.stderr().trim().split('\n')).toEqual(skipped);
    expect(all.runtime.closes).toBe(all.opened.length);
    const { line: none } = line({ run_2: past.run_2 });
    expect(await none.run('resume', '--all')).toBe(0);
    expect(none.opened).toEqual(['read']);
  });

  test('[DUR-4] a raise is for all of them', async () => {
    const { line: all } = line({ run_1: past.run_1, run_4: past.run_4 });
    expect(await all.run('resume', '--all', '--steps', '5')).toBe(0);
    expect(all.runtime.resumed.map(({ runId, limits: bound }) => [runId, bound?.steps])).toEqual([
      ['run_1', 60],
      ['run_4', 5],
    ]);
  });

  test('[DUR-4] [SUR-2] json is all results and what was left; stream-json each result behind its events', async () => {
    const { line: json } = line(past);
    await json.run('resume', '--all', '--output-format', 'json');
    const results = JSON.parse(json.stdout());
    expect(results).toEqual({
      type: 'results',
      results: ['run_1', 'run_3'].map((run_id) => {
        const helpers = run_id === 'run_1' ? [{ run_id: 'run_1_helper0', title: 'looks' }] : [];
        return { ...sampleResult(run_id, { answer: `answer of ${run_id}` }), helpers };
      }),
      skipped: [
        { run_id: 'run_4', title: 'four', message: expect.stringContaining('--steps 2') },
        { run_id: 'run_5', title: 'five', message: 'there is no folder /not/there.' },
      ],
    });
    const { line: stream } = line(past);
    await stream.run('resume', '--all', '--output-format', 'stream-json');
    const lines = stream
      .stdout()
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each));
    expect(lines.at(-1)).toEqual(results);
    for (const run_id of ['run_1', 'run_3']) {
      const own = lines.filter((each) => each.run_id === run_id).map(({ type }) => type);
      expect(own.at(0)).toBe('run.created');
      expect(own.slice(-2)).toEqual(['run.settled', 'result']);
    }
  });

  test('[DUR-4] they work beside each other, as many at once as may', async () => {
    const runs = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`run_${index}`, {}]));
    const { line: all } = line(runs, { environment: { ERRAND_MAX_CONCURRENT: '2' } });
    const begun: string[] = [];
    all.runtime.onStart = (run_id) => begun.push(run_id);
    const running = all.run('resume', '--all', '--quiet');
    for (const [index, run_id] of Object.keys(runs).entries()) {
      const together = Math.min(5, index + 2);
      await until(() => begun.length >= together);
      expect(begun).toHaveLength(together);
      all.runtime.finish(sampleResult(run_id));
    }
    expect(await running).toBe(0);
  });

  test('[DUR-4] one that breaks, is damaged or belongs to another process holds up no other; the worst decides', async () => {
    const { line: all } = line({ run_1: {}, run_2: {}, run_3: {}, run_4: {} });
    const { events } = all.runtime;
    all.runtime.events = async (run_id, after) => {
      if (run_id === 'run_1') throw new CodedError('corrupt', 'What is stored about run_1 is damaged.');
      return events(run_id, after);
    };
    all.runtime.refusals.set('run_2', { code: 'running', message: 'run_2 belongs to process 7.' });
    all.runtime.onStart = (run_id) => {
      if (run_id === 'run_3') all.runtime.breakOff(run_id, new Error('it broke'));
      else all.runtime.finish(sampleResult(run_id, { answer: 'whole' }));
    };
    expect(await all.run('resume', '--all', '--quiet')).toBe(1);
    expect(all.stdout()).toBe('# task of run_4\n\nwhole\n');
    expect(all.stderr().trim().split('\n')).toEqual([
      expect.stringContaining('run_1 "task of run_1" does not go on: What is stored about run_1 is damaged.'),
      expect.stringContaining('run_2 belongs to process 7.'),
      expect.stringContaining('the run run_3 broke off: it broke'),
    ]);
  });

  test('[DUR-4] what another process works at is no fault, a helper goes on with its root alone, no answer has no title', async () => {
    const { line: all, story } = line({ run_1: {}, run_2: {} });
    all.runtime.record([
      ...story.start('run_2_helper', { parent: 'run_2' }),
      story.settle('run_2_helper', '', { state: 'interrupted', reason: 'steps' }),
    ]);
    all.runtime.refusals.set('run_1', { code: 'running', message: 'run_1 belongs to process 7.' });
    all.runtime.onStart = (run_id) => all.runtime.finish(sampleResult(run_id, { answer: '' }));
    expect(await all.run('resume', '--all', '--quiet')).toBe(0);
    expect(all.runtime.resumed.map(({ runId }) => runId)).toEqual(['run_2']);
    expect(all.stdout()).toBe('');
  });

  test.each(['no_model', 'full'] as const)('[DUR-4] one that is refused with %s is not: 4', async (code) => {
    const { line: all } = line({ run_1: {}, run_2: {} });
    all.runtime.refusals.set('run_1', { code, message: 'It cannot be.' });
    expect(await all.run('resume', '--all', '--quiet')).toBe(4);
    expect(all.stderr()).toBe('errand: run_1 "task of run_1" does not go on: It cannot be.\n');
  });

  test('[SUR-1] Ctrl-C begins no other of the same folder', async () => {
    const { line: all } = line({ run_1: {}, run_2: {} }, { environment: { ERRAND_MAX_CONCURRENT: '1' } });
    all.runtime.onStart = () => all.signal('SIGTERM');
    all.runtime.onCancel = (reason, run_id) => all.runtime.finish(sampleResult(run_id, { state: 'cancelled', reason }));
    expect(await all.run('resume', '--all', '--quiet')).toBe(143);
    expect(all.runtime.resumed.map(({ runId }) => runId)).toEqual(['run_1']);
  });

  test('[SUR-1] Ctrl-C stops those that work and begins no other: 130', async () => {
    const { line: all } = line({ run_1: {}, run_2: { cwd: `${folder}/..` } });
    all.runtime.onStart = () => all.signal('SIGINT');
    all.runtime.onCancel = (reason, run_id) =>
      all.runtime.finish(sampleResult(run_id, { state: 'cancelled', reason, answer: '' }));
    expect(await all.run('resume', '--all', '--quiet')).toBe(130);
    expect(all.runtime.resumed.map(({ runId }) => runId)).toEqual(['run_1']);
    expect(all.stderr()).toContain('run_2 "task of run_2" does not go on: this was stopped before its turn.');
    expect(all.opened).toEqual(['read', 'run']);
  });

  test('[SUR-2] when the reader goes away they are stopped', async () => {
    const { line: all } = line({ run_1: {} });
    all.runtime.onStart = () => all.hangUp();
    all.runtime.onCancel = (reason, run_id) =>
      all.runtime.finish(sampleResult(run_id, { state: 'cancelled', reason, answer: '' }));
    expect(await all.run('resume', '--all', '--output-format', 'stream-json')).toBe(5);
    expect(all.runtime.cancelled).toEqual(['session_end']);
  });
});

describe('a run that is deleted after it was found', () => {
  const GONE = 'errand: there is no run run_1 any more.\n';

  test.each(['completed', 'interrupted'] as const)('[DUR-5] [SUR-1] before its events are read: %s', async (state) => {
    const { line: one } = line({ run_1: { state } });
    one.runtime.events = async () => [];
    expect(await one.run('resume', 'run_1')).toBe(2);
    expect(one.stderr()).toBe(GONE);
    expect(one.stdout()).toBe('');
    expect(one.opened).toEqual(['read']);
    expect(one.runtime.closes).toBe(1);
  });

  test.each([
    ['resume', 'run_1'],
    ['resume', 'run_1', '--message', 'and now?'],
    ['replay', 'run_1', '--from', '0'],
  ])('[DUR-5] [SUR-1] before it is gone on with: errand %s %s %s is one sentence and exit 2', async (...argv) => {
    const { line: one } = line({ run_1: { state: 'completed' } });
    one.runtime.refusals.set('run_1', { code: 'not_found', message: 'There is no run run_1.' });
    expect(await one.run(...argv)).toBe(2);
    expect(one.stderr()).toBe('errand: There is no run run_1.\n');
    expect(one.stdout()).toBe('');
    expect(one.opened).toEqual(['read', 'run']);
    expect(one.runtime.closes).toBe(2);
  });

  test('[DUR-5] [SUR-1] is one sentence for compare and replay as well, and no fault of resume --all', async () => {
    for (const argv of [
      ['compare', 'run_1', 'run_2'],
      ['replay', 'run_1'],
    ]) {
      const { line: one } = line({ run_1: { state: 'completed' }, run_2: { state: 'completed' } });
      one.runtime.events = async () => [];
      expect(await one.run(...argv)).toBe(2);
      expect(one.stderr()).toBe(GONE);
    }
    const { line: all } = line({ run_1: {} });
    all.runtime.events = async () => [];
    expect(await all.run('resume', '--all')).toBe(0);
    expect(all.stderr()).toBe('errand: run_1 "task of run_1" does not go on: there is no run run_1 any more.\n');
  });
});

describe('how to go on', () => {
  test('[SUR-4] [DUR-4] show prints the command for an interrupted run, ps its reason', async () => {
    const { line: one } = line({ run_1: { reason: 'wall', limits: { steps: 60, tool_calls: 9, wall_ms: 90_000 } } });
    await one.run('show', 'run_1');
    expect(one.stdout()).toContain('state    interrupted (wall)\n');
    expect(one.stdout()).toContain('go on    errand resume run_1 --wall 3m\n');
    const { line: list } = line({ run_1: { reason: 'wall' }, run_2: {}, run_3: { state: 'completed' } });
    await list.run('ps');
    expect(list.stdout()).toContain('‖ interrupted (wall)');
    expect(list.stdout()).toContain('‖ interrupted (restart)');
    const { line: done } = line({ run_3: { state: 'completed' } });
    await done.run('show', 'run_3');
    expect(done.stdout()).not.toContain('go on');
  });
});
