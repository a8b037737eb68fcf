import { describe, expect, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { Story } from '../terminal/story.ts';
import { type CommandLine, createCommandLine } from './around.ts';
import { FakeRuntime, sampleResult } from './fake-runtime.ts';

const folder = import.meta.dirname;
const GONE =
  'errand: the conversation of run_h1 "looks" is no longer kept (retention.hidden_days); what there still is of it: errand show run_h1.\n';

/** An ended root with two helpers, the second below the first, of which retention has left the records. */
function line(): CommandLine & { readonly story: Story } {
  const story = new Story().pass(-60_000);
  story.start('run_1', { title: 'root' });
  story.answer('run_1', '', { calls: ['agent'], usage: { input: 50 } });
  story.start('run_h1', { parent: 'run_1', title: 'looks' });
  story.answer('run_h1', '', { calls: ['search'], usage: { input: 700, output: 30 } });
  story.startCall('run_h1', 'search');
  story.endCall('run_h1', 'search');
  story.start('run_h2', { parent: 'run_h1', title: 'deeper' });
  story.answer('run_h2', 'secret of h2', { usage: { input: 200, unknown_calls: 1 } });
  story.pass(1_500).settle('run_h2', 'secret of h2');
  story.pass(1_000).settle('run_h1', 'secret of h1', { state: 'interrupted', reason: 'steps', partial: true });
  story.settle('run_1', 'the whole answer', { state: 'failed', reason: 'output_limit' });
  story.start('run_2', { title: 'another root' });
  story.settle('run_2');
  const runtime = new FakeRuntime();
  runtime.record(story.events.map((event) => (event.type === 'run.created' ? { ...event, cwd: folder } : event)));
  runtime.keep(sampleResult('run_1', { answer: 'the whole answer', helpers: helpers() }));
  for (const run_id of ['run_h1', 'run_h2']) runtime.swept.add(run_id);
  return { ...createCommandLine({ runtime }), story };
}

function helpers(): ReturnType<typeof sampleResult>['helpers'] {
  return [
    {
      ...{ run_id: 'run_h1', parent_id: 'run_1', title: 'looks', role: 'scout', model: 'mock/m', steps: 1 },
      ...{ state: 'interrupted', reason: 'steps', partial: true, tool_calls: ['search'], duration_ms: 2_500 },
      usage: { input: 700, cached: 0, output: 30, reasoning: 0, unknown_calls: 0 },
    },
  ];
}

describe('a helper whose conversation is no longer kept', () => {
  test('[DUR-5] [SUR-4] show has what its record has, its helpers too, and says what is gone', async () => {
    const one = line();
    expect(await one.run('show', 'run_h1')).toBe(0);
    expect(one.stderr()).toBe('');
    expect(one.stdout().split('\n')).toEqual([
      'run      run_h1',
      'parent   run_1',
      'title    looks',
      'state    interrupted (steps), partial',
      'role     scout',
      'model    mock/m',
      `folder   ${folder}`,
      expect.stringMatching(/^created {2}\d{4}-/u),
      'time     2.5s',
      'steps    1',
      'calls    search',
      'tokens   900? in (0 cached), 30? out, 1 call untold',
      '',
      'helpers',
      '  ✓ run_h2 scout "deeper": completed, 1.5s, 200? tokens, 0 calls',
      '',
      'Its conversation and its answer are no longer kept (retention.hidden_days).',
      '',
    ]);
  });

  test('[DUR-5] [SUR-4] show as json says so under a key of its own, and of the others that it is kept', async () => {
    const one = line();
    expect(await one.run('show', 'run_h1', '--output-format', 'json')).toBe(0);
    const { record, ...rest } = JSON.parse(one.stdout());
    expect(rest).toEqual({ conversation: 'swept' });
    expect(record).toMatchObject({ run_id: 'run_h1', state: 'interrupted', reason: 'steps', partial: true });
    const root = line();
    await root.run('show', 'run_1', '--output-format', 'json');
    expect(JSON.parse(root.stdout())).toMatchObject({
      run_id: 'run_1',
      answer: 'the whole answer',
      helpers: [{ run_id: 'run_h1' }],
      conversation: 'kept',
    });
  });

  test.each([
    ['logs', 'run_h1'],
    ['logs', 'run_h1', '-f'],
    ['replay', 'run_h1'],
    ['replay', 'run_h1', '--from', '0'],
    ['resume', 'run_h1'],
    ['compare', 'run_h1', 'run_1'],
    ['compare', 'run_1', 'run_h1'],
  ])('[DUR-5] [SUR-1] errand %s %s %s is one sentence and exit 2', async (...argv) => {
    const one = line();
    expect(await one.run(...argv)).toBe(2);
    expect(one.stdout()).toBe('');
    expect(one.stderr()).toBe(GONE);
    expect(one.runtime.resumed).toEqual([]);
    expect(one.runtime.forked).toEqual([]);
    expect(one.runtime.observers).toBe(0);
    expect(one.runtime.closes).toBe(one.opened.length);
  });

  test('[DUR-5] one that is deleted while it is asked for ends in the sentence of the store, exit 2 as well', async () => {
    const one = line();
    one.runtime.swept.clear();
    one.runtime.resume = () => Promise.reject(new CodedError('swept', 'It was deleted.\n    at once'));
    expect(await one.run('resume', 'run_h1', '--steps', '90')).toBe(2);
    expect(one.stderr()).toBe('errand: It was deleted. at once\n');
  });

  test('[DUR-5] another fault of the store stays what it is', async () => {
    for (const argv of [
      ['show', 'run_1'],
      ['logs', 'run_1'],
      ['compare', 'run_1', 'run_2'],
      ['resume', 'run_1'],
    ]) {
      const one = line();
      const broken = () => Promise.reject(new CodedError('corrupt', 'What is stored is damaged.'));
      one.runtime.events = broken;
      one.runtime.result = broken;
      expect(await one.run(...argv)).toBe(4);
      expect(one.stderr()).toBe('errand: What is stored is damaged.\n');
    }
  });
});

describe('the root of such helpers', () => {
  test('[DUR-5] [SUR-4] is shown, compared, stopped and listed as before', async () => {
    const shown = line();
    expect(await shown.run('show', 'run_1')).toBe(0);
    expect(shown.stdout()).toContain('‖ run_h1 scout "looks": interrupted (steps), partial, 2.5s, 730 tokens, 1 call');
    expect(shown.stdout().endsWith('\n\nthe whole answer\n')).toBe(true);
    for (const argv of [
      ['compare', 'run_1', 'run_2'],
      ['stop', 'run_1'],
      ['stop', 'run_h1'],
      ['ps', '--all'],
    ]) {
      const one = line();
      expect(await one.run(...argv)).toBe(0);
      expect(one.stderr()).toBe('');
    }
  });

  test.each([[[]], [['-f']]])(
    '[DUR-5] [SUR-4] has its own events in logs; those that are gone are counted: %j',
    async (flags) => {
      const one = line();
      expect(await one.run('logs', 'run_1', '--output-format', 'json', ...flags)).toBe(0);
      const told = one
        .stdout()
        .trim()
        .split('\n')
        .map((text) => JSON.parse(text));
      expect(told.map(({ run_id, seq }) => [run_id, seq])).toEqual(
        one.story.events.flatMap(({ run_id, seq }) => (run_id === 'run_1' ? [[run_id, seq]] : [])),
      );
      expect(one.stderr()).toBe('errand: the events of 2 helpers are no longer kept (retention.hidden_days).\n');
      const single = line();
      single.runtime.swept.delete('run_h1');
      await single.run('logs', 'run_1', ...flags);
      expect(single.stderr()).toBe('errand: the events of 1 helper are no longer kept (retention.hidden_days).\n');
    },
  );

  test('[DUR-5] [DUR-4] asked to go on with, the answer of a successor at rest comes without what is gone', async () => {
    const one = line();
    one.runtime.onStart = (run_id) =>
      one.runtime.finish(
        sampleResult(run_id, { state: 'failed', reason: 'output_limit', answer: 'half', helpers: helpers() }),
      );
    expect(await one.run('resume', 'run_1', '--output-format', 'stream-json')).toBe(1);
    const told = one
      .stdout()
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text));
    expect(told.at(-1)).toMatchObject({ type: 'result', answer: 'half', helpers: [{ run_id: 'run_h1' }] });
    expect(new Set(told.map(({ run_id }) => run_id))).toEqual(new Set(['run_1']));
    // Nobody is sent to an answer that is not there.
    expect(one.stderr()).not.toContain('errand show run_h1');
  });
});

describe('the run that went on after another', () => {
  test('[DUR-4] is asked for by the one that it goes on from, not looked for among all', async () => {
    const one = line();
    one.runtime.onStart = (run_id) => one.runtime.finish(sampleResult(run_id));
    await one.run('resume', 'run_2', '--quiet');
    expect(one.runtime.asked).toContainEqual({ resumedFrom: 'run_2' });
    expect(one.runtime.asked.filter((filter) => Object.keys(filter ?? {}).length === 0)).toHaveLength(1);
  });
});
