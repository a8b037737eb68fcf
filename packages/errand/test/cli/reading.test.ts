import { describe, expect, test } from 'vitest';
import type { RunResult } from '../../src/domain/run/result.ts';
import type { CancelReason } from '../../src/domain/run/status.ts';
import { Story } from '../terminal/story.ts';
import { type CommandLine, createCommandLine, until } from './around.ts';
import { FakeRuntime, sampleResult } from './fake-runtime.ts';

const HOUR = 3_600_000;

/** Two trees: one of two days ago, one that works now with an ended and a live helper. */
function library(): { line: CommandLine; story: Story; runtime: FakeRuntime } {
  const runtime = new FakeRuntime();
  const line = createCommandLine({ runtime });
  const story = new Story().pass(-48 * HOUR);
  story.start('run_old1', { title: 'old' });
  story.settle('run_old1', 'the old answer');
  story.pass(47 * HOUR);
  story.start('run_new1', { title: 'new' });
  story.answer('run_new1', '', { calls: ['agent', 'agent'], usage: { input: 100 } });
  story.tell('run_new1', { type: 'run.waiting', on: 'children' });
  story.start('run_new2', { parent: 'run_new1', title: 'helper' });
  story.pass(2_500).settle('run_new2');
  story.start('run_new3', { parent: 'run_new1', title: 'helper' });
  story.answer('run_new3', '', { calls: ['search'], usage: { unknown_calls: 1 } });
  story.startCall('run_new3', 'search');
  story.pass(HOUR - 2_500);
  runtime.record(story.events);
  return { line, story, runtime };
}

/** The process of all that lives was killed: as the runtime then reads the records. */
function abandon(runtime: FakeRuntime): void {
  const { records } = runtime;
  runtime.records = async (filter) =>
    (await records(filter)).map((record) =>
      record.ended_at === null
        ? { ...record, state: 'interrupted', reason: 'restart', waiting_on: null, current_tool: null, active_ms: 1_500 }
        : record,
    );
}

describe('ps', () => {
  test('[SUR-4] lists what lives and the last day, as a tree, newest root first', async () => {
    const { line } = library();
    expect(await line.run('ps')).toBe(0);
    expect(line.stdout().split('\n')).toEqual([
      'RUN       AGE      STATE        DOING                ROLE    MODEL   TIME     TOKENS  TITLE',
      'run_new1  1h 00m   ◌ waiting    waiting for helpers  worker  mock/m  1h 00m   100     new',
      'run_new2  1h 00m   ✓ completed                       scout   mock/m  2.5s     0         helper',
      'run_new3  59m 57s  ● running    search               scout   mock/m  59m 57s  0?        helper',
      '',
    ]);
  });

  test('[SUR-4] --all lists all', async () => {
    const { line } = library();
    await line.run('ps', '--all');
    expect(line.stdout()).toContain('run_old1');
  });

  test('[SUR-4] json is exactly what is documented', async () => {
    const { line } = library();
    expect(await line.run('ps', '--output-format', 'json')).toBe(0);
    const { runs, ...rest } = JSON.parse(line.stdout());
    expect(rest).toEqual({});
    expect(runs).toHaveLength(3);
    const start = line.clock.now() - HOUR;
    expect(runs[1]).toEqual({
      run_id: 'run_new2',
      parent_id: 'run_new1',
      root_id: 'run_new1',
      session_id: 'ses_run_new1',
      title: 'helper',
      role: 'scout',
      model: 'mock/m',
      state: 'completed',
      reason: null,
      created_at: start,
      started_at: start,
      ended_at: start + 2_500,
      steps: 0,
      current_tool: null,
      waiting_on: null,
      usage: { input: 0, cached: 0, output: 0, reasoning: 0, unknown_calls: 0 },
    });
    expect(Object.keys(runs[1])).toEqual([
      ...['run_id', 'parent_id', 'root_id', 'session_id', 'title', 'role', 'model', 'state', 'reason', 'created_at'],
      ...['started_at', 'ended_at', 'steps', 'current_tool', 'waiting_on', 'usage'],
    ]);
    expect(runs[0]).toMatchObject({ current_tool: null, waiting_on: 'children', steps: 1 });
    expect(runs[2]).toMatchObject({ current_tool: 'search', waiting_on: null, usage: { unknown_calls: 1 } });
  });

  test('[SUR-4] json has the same order as the text', async () => {
    const { line } = library();
    await line.run('ps', '--all', '--output-format', 'json');
    const ids = JSON.parse(line.stdout()).runs.map(({ run_id }: { run_id: string }) => run_id);
    expect(ids).toEqual(['run_new1', 'run_new2', 'run_new3', 'run_old1']);
  });

  test('[SUR-4] [DUR-3] what a killed process left behind does not grow older', async () => {
    const { line, runtime } = library();
    abandon(runtime);
    await line.run('ps');
    const [, root, , helper] = line.stdout().split('\n');
    expect(root).toMatch(/^run_new1 .*‖ interrupted \(restart\) +worker +mock\/m +1\.5s /u);
    expect(helper).toMatch(/^run_new3 .*‖ interrupted \(restart\) +scout +mock\/m +1\.5s /u);
  });

  test('[SUR-4] nothing there is no fault', async () => {
    const line = createCommandLine();
    expect(await line.run('ps')).toBe(0);
    expect(line.stdout()).toBe('No runs.\n');
    const json = createCommandLine();
    await json.run('ps', '--output-format', 'json');
    expect(JSON.parse(json.stdout())).toEqual({ runs: [] });
    expect(line.opened).toEqual(['read']);
  });

  test('[SUR-4] titles inject nothing', async () => {
    const runtime = new FakeRuntime();
    runtime.record(new Story().start('run_1', { title: 'a\u001b[2J\nb' }));
    const line = createCommandLine({ runtime });
    await line.run('ps');
    expect(line.stdout().split('\n')).toHaveLength(3);
    expect(line.stdout()).not.toContain('\u001b');
  });
});

describe('finding a run', () => {
  test.each(['run_old1', 'run_old', 'old1', 'old'])('[RUN-5] %s finds the one that fits', async (name) => {
    const { line } = library();
    expect(await line.run('show', name)).toBe(0);
    expect(line.stdout()).toContain('run      run_old1');
  });

  test('[RUN-5] a title that fits several is an error that lists them', async () => {
    const { line } = library();
    expect(await line.run('show', 'helper')).toBe(2);
    expect(line.stdout()).toBe('');
    expect(line.stderr()).toBe(
      'errand: "helper" fits 2 runs: run_new2 ("helper", completed), run_new3 ("helper", running); give one of the ids.\n',
    );
  });

  test('[RUN-5] so is the beginning of several ids, the latest ten of them', async () => {
    const { line, runtime } = library();
    const story = new Story();
    for (let index = 0; index < 30; index++) runtime.record(story.start(`run_many${index + 10}`));
    expect(await line.run('stop', 'run_many')).toBe(2);
    expect(line.stderr()).toContain('fits 30 runs: run_many30 (');
    expect(line.stderr()).toContain('and 20 more; give one of the ids.');
    expect(runtime.stopped).toEqual([]);
  });

  test('[RUN-5] an id is exact although it begins others, and a title never beats an id', async () => {
    const runtime = new FakeRuntime();
    const story = new Story();
    runtime.record(story.start('run_1', { title: 'first' }));
    runtime.record(story.start('run_12', { title: 'run_1' }));
    const line = createCommandLine({ runtime });
    await line.run('show', 'run_1');
    expect(line.stdout()).toContain('run      run_1\n');
  });
});

function helperOf(run_id: string): RunResult['helpers'][number] {
  return {
    ...{ run_id, parent_id: 'run_new1', title: 'helper', role: 'scout', model: 'mock/m' },
    ...{ state: 'running', reason: null, partial: false, steps: 0, tool_calls: [], duration_ms: 0 },
    usage: { input: 0, cached: 0, output: 0, reasoning: 0, unknown_calls: 0 },
  };
}

describe('show', () => {
  test('[SUR-4] [DEL-9] what the run is, its helpers with the tools they used, and the answer', async () => {
    const { line, runtime } = library();
    const ending = { state: 'interrupted', reason: 'steps', partial: true } as const;
    const usage = { input: 900, cached: 0, output: 100, reasoning: 0, unknown_calls: 1 };
    const tool_calls = ['search', 'search', 'read'];
    const helper = { ...helperOf('run_elsewhere'), ...ending, tool_calls, usage, duration_ms: 2_500 };
    const answer = 'line one\nline two\u001b[31m';
    runtime.keep(sampleResult('run_new1', { helpers: [helper], answer, usage: { own: usage, total: usage } }));
    expect(await line.run('show', 'run_new1')).toBe(0);
    expect(line.stdout()).toContain('tokens   900? in (0 cached), 100? out, 1 call untold\n');
    expect(line.stdout()).toContain(
      '  ‖ run_elsewhere scout "helper": interrupted (steps), partial, 2.5s, 1.0k? tokens, 3 calls (search ×2, read)\n' +
        '  (the answer of one: errand show <its id>)\n',
    );
    expect(line.stdout().endsWith('\n\nline one\nline two[31m\n')).toBe(true);
  });

  test.each([
    [false, 'running', '● run_new3 scout "helper": running, 59m 57s', { state: 'running', reason: null }, 3_597_500],
    [
      true,
      'interrupted (restart)',
      '‖ run_new3 scout "helper": interrupted (restart), 1.5s',
      { state: 'interrupted', reason: 'restart' },
      1_500,
    ],
  ] as const)(
    '[SUR-4] [RUN-4] helpers are shown as ps shows them; process killed: %s',
    async (killed, _state, says, ending, duration_ms) => {
      const { line, runtime } = library();
      runtime.keep(
        sampleResult('run_new1', { state: 'waiting', helpers: [helperOf('run_new2'), helperOf('run_new3')] }),
      );
      if (killed) abandon(runtime);
      await line.run('show', 'run_new1');
      expect(line.stdout()).toContain('✓ run_new2 scout "helper": completed, 2.5s');
      expect(line.stdout()).toContain(says);
      const json = library();
      json.runtime.keep(sampleResult('run_new1', { state: 'waiting', helpers: [helperOf('run_new3')] }));
      if (killed) abandon(json.runtime);
      await json.line.run('show', 'run_new1', '--output-format', 'json');
      const shown = JSON.parse(json.line.stdout());
      expect(shown.helpers[0]).toMatchObject({ ...ending, duration_ms });
      expect(shown.state).toBe(killed ? 'interrupted' : 'waiting');
      expect(shown.duration_ms).toBe(killed ? 1_500 : HOUR);
    },
  );

  test('[SUR-4] json is the result with the record beside it', async () => {
    const { line, runtime } = library();
    const result = sampleResult('run_old1');
    runtime.keep(result);
    await line.run('show', 'run_old1', '--output-format', 'json');
    const { record, ...rest } = JSON.parse(line.stdout());
    expect(rest).toEqual({ ...result, conversation: 'kept' });
    expect(record).toMatchObject({ run_id: 'run_old1', state: 'completed', cwd: '/work' });
  });
});

describe('logs', () => {
  const jsonOf = (line: CommandLine) =>
    line
      .stdout()
      .split('\n')
      .slice(0, -1)
      .map((text) => JSON.parse(text));

  test('[SUR-4] [SUR-2] the events of the run and of everything under it, one a line', async () => {
    const { line, story } = library();
    await line.run('logs', 'run_new1', '--output-format', 'json');
    expect(jsonOf(line)).toEqual(story.events.filter(({ run_id }) => run_id !== 'run_old1'));
    const one = library();
    await one.line.run('logs', 'run_new2');
    expect(one.line.stdout().split('\n')).toEqual([
      '11:00:00.000 run_new2 run.created scout "helper" on mock/m',
      '11:00:00.000 run_new2 run.started',
      '11:00:02.500 run_new2 run.settled completed: completed',
      '',
    ]);
  });

  test('[SUR-4] -f goes on until everything is at rest, woken by what is recorded, here or elsewhere', async () => {
    const { line, story, runtime } = library();
    const following = line.run('logs', 'run_new1', '-f', '--output-format', 'json');
    const shown = (text: string) => until(() => line.stdout().includes(text));
    await shown('run_new3');
    runtime.record(story.start('run_new4', { parent: 'run_new3', title: 'deeper' }), false);
    await shown('deeper');
    runtime.record([story.settle('run_new1', 'ended first', { state: 'cancelled', reason: 'user' })], true);
    await shown('ended first');
    runtime.record([story.settle('run_new3', 'ended second')], false);
    await shown('ended second');
    runtime.record([story.settle('run_new4')], false);
    expect(await following).toBe(0);
    expect(jsonOf(line)).toEqual(story.events.filter(({ run_id }) => run_id !== 'run_old1'));
    expect(runtime.observers).toBe(0);
    expect(runtime.closed).toBe(true);
    expect(line.clock.pending).toBe(0);
  });

  test('[SUR-4] -f of a run at rest ends at once', async () => {
    const { line } = library();
    expect(await line.run('logs', 'old', '-f')).toBe(0);
    expect(line.stdout()).toContain('run.settled');
  });

  test('[SUR-4] -f ends quietly when nobody reads any more', async () => {
    const { line, runtime } = library();
    const following = line.run('logs', 'run_new1', '-f');
    await until(() => line.stdout() !== '');
    line.hangUp();
    expect(await following).toBe(0);
    expect(runtime.observers).toBe(0);
  });
});

describe('stop', () => {
  test('[SUR-4] stops by id and says how it ended', async () => {
    const { line, runtime, story } = library();
    runtime.stop = async (runId: string, reason: CancelReason) => {
      runtime.stopped.push([runId, reason]);
      runtime.record([story.settle(runId, '', { state: 'cancelled', reason })]);
      const [record] = (await runtime.records()).filter(({ run_id }) => run_id === runId);
      return record ? { kind: 'stopped', record } : { kind: 'not_found' };
    };
    expect(await line.run('stop', 'new3')).toBe(0);
    expect(runtime.stopped).toEqual([['run_new3', 'user']]);
    expect(line.stdout()).toBe('run_new3 "helper" has ended: cancelled (user).\n');
  });

  test('[SUR-4] a run at rest is no fault, and json tells', async () => {
    const { line } = library();
    expect(await line.run('stop', 'run_old1', '--output-format', 'json')).toBe(0);
    expect(JSON.parse(line.stdout())).toEqual({
      type: 'stop',
      run_id: 'run_old1',
      was_at_rest: true,
      state: 'completed',
      reason: null,
      partial: false,
    });
  });

  test('[SUR-4] no answer from the owner is exit 1', async () => {
    const { line, runtime } = library();
    runtime.stopAnswer = { kind: 'no_answer' };
    expect(await line.run('stop', 'run_new1')).toBe(1);
    expect(line.stderr()).toContain('did not answer');
  });
});

describe('config status and doctor', () => {
  test('[LIM-4] config status shows every setting with its default, value and source', async () => {
    const line = createCommandLine({ environment: { ERRAND_MAX_HELPERS: '5', DEEPSEEK_API_KEY: 'very-secret' } });
    expect(await line.run('config', 'status')).toBe(0);
    expect(line.stdout()).toMatch(/^limits\.max_per_turn +16 +5 +environment \(ERRAND_MAX_HELPERS\)$/mu);
    expect(line.stdout()).toMatch(/^limits\.max_depth +3 +3 +default$/mu);
    expect(line.stdout()).toMatch(
      /^deepseek +openai-compatible +https:\/\/api\.deepseek\.com\/v1 +set +environment$/mu,
    );
    expect(line.stdout()).toContain('Model of a run: none: no model is chosen');
    expect(line.stdout()).not.toContain('very-secret');
  });

  test('[LIM-4] config status as json', async () => {
    const line = createCommandLine();
    await line.run('config', 'status', '--output-format', 'json');
    const status = JSON.parse(line.stdout());
    expect(status.settings).toContainEqual({
      key: 'limits.helper_wall',
      fallback: '30m',
      value: '30m',
      from: 'default',
      name: null,
    });
    expect(status.model).toEqual({ name: 'offline/extract', from: 'default', problem: null });
  });

  test('[SUR-4] doctor: 0 where all is there, 1 where something is missing, and never a key', async () => {
    const line = createCommandLine({ environment: { OPENAI_API_KEY: 'very-secret', OPENAI_MODEL: 'm' } });
    expect(await line.run('doctor')).toBe(0);
    expect(line.stdout()).toMatch(/✓ +connection openai +openai, key set \(OPENAI_API_KEY\); not tried\n/u);
    expect(line.stdout()).toMatch(/✓ +search +ripgrep works/u);
    expect(line.stdout()).not.toContain('very-secret');
    const broken = createCommandLine({ openFault: new Error('no room') });
    expect(await broken.run('doctor', '--output-format', 'json')).toBe(1);
    const { healthy, checks } = JSON.parse(broken.stdout());
    expect(healthy).toBe(false);
    expect(checks).toContainEqual({ name: 'store', status: 'missing', detail: expect.stringContaining('no room') });
  });
});
