import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { compareRuns, diffOf } from '../../src/domain/run/compare.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { Story } from '../terminal/story.ts';
import { type AroundOptions, type CommandLine, createCommandLine, SOUND } from './around.ts';
import { FakeRuntime, sampleResult } from './fake-runtime.ts';

/** A line over runs of these courses: each step the names of its calls, the last one the answer. */
function line(courses: Readonly<Record<string, Course>>, given: AroundOptions = {}): CommandLine {
  const runtime = new FakeRuntime();
  for (const [run_id, course] of Object.entries(courses)) runtime.record(eventsOf(run_id, course));
  return createCommandLine({ runtime, ...given });
}

/** Where the runs worked; the command line is elsewhere. */
const FOLDER = dirname(import.meta.dirname);

interface Course {
  readonly steps?: readonly (readonly string[])[];
  readonly args?: string;
  readonly answer?: string;
  readonly model?: string;
  readonly state?: 'completed' | 'interrupted';
}

function eventsOf(run_id: string, course: Course): RunEvent[] {
  const { steps = [], args = '{}', answer = 'the answer', model = 'mock/m', state = 'completed' } = course;
  const story = new Story();
  story.start(run_id, { model });
  for (const calls of steps) {
    story.answer(run_id, '', { calls, usage: { input: 1_000, output: 10 } });
    for (const [index, name] of calls.entries()) {
      story.startCall(run_id, name, index);
      story.endCall(run_id, name, index);
    }
  }
  story.answer(run_id, answer);
  story.settle(run_id, answer, state === 'completed' ? {} : { state, reason: 'wall', partial: true });
  return story.events.map((event) => {
    if (event.type === 'run.created') return { ...event, cwd: FOLDER };
    return event.type === 'model.finished'
      ? { ...event, calls: event.calls.map((call) => ({ ...call, args })) }
      : event;
  });
}

describe('errand replay', () => {
  const difference = { at: 3, recorded: `{"type":"x","text":"${'a'.repeat(300)}b"}`, replayed: null };

  test('[DUR-8] says that the course is the same, exit 0', async () => {
    const one = line({ run_1: {} });
    one.runtime.reports.set('run_1', { run_id: 'run_1', events: 5, differences: [] });
    expect(await one.run('replay', 'run_1')).toBe(0);
    expect(one.stdout()).toBe('took the same course: 5 events\n');
    expect(one.opened).toEqual(['read']);
  });

  test('[DUR-8] or where it is another, exit 1', async () => {
    const one = line({ run_1: {} });
    const report = { run_id: 'run_1', events: 5, differences: [difference, { at: 9, recorded: 'ab', replayed: 'ac' }] };
    one.runtime.reports.set('run_1', report);
    expect(await one.run('replay', 'run_1')).toBe(1);
    const [head, , first, ...rest] = one.stdout().split('\n');
    expect(head).toBe('took another course: 2 differences, 5 events recorded');
    expect(first).toBe('at 3');
    expect(rest).toContain('  replayed  nothing');
    expect(rest.slice(-4)).toEqual(['at 9', '  recorded  ab', '  replayed  ac', '']);
    const json = line({ run_1: {} });
    json.runtime.reports.set('run_1', report);
    expect(await json.run('replay', 'run_1', '--output-format', 'json')).toBe(1);
    expect(JSON.parse(json.stdout())).toEqual({ type: 'replay', ...report });
  });

  test('[DUR-8] --from goes on from a step as a new run, in the folder of the recorded one', async () => {
    const one = line({ run_1: {} });
    one.runtime.onStart = () => one.runtime.finish(sampleResult('root', { answer: 'tried again' }));
    expect(await one.run('replay', 'run_1', '--from', '2')).toBe(0);
    expect(one.runtime.forked).toEqual([{ runId: 'run_1', step: 2 }]);
    expect(one.stdout()).toBe('tried again\n');
    expect(one.folders).toEqual([import.meta.dirname, FOLDER]);
    const other = line({ run_1: {} }, { environment: { OPENAI_API_KEY: 'k' } });
    other.runtime.onStart = () => other.runtime.finish(sampleResult('root', { state: 'failed', reason: 'internal' }));
    const argv = ['replay', 'run_1', '--from', '0', '--model', 'openai/x', '--output-format', 'json'];
    expect(await other.run(...argv)).toBe(1);
    expect(other.runtime.forked).toEqual([{ runId: 'run_1', step: 0, model: 'openai/x' }]);
    expect(JSON.parse(other.stdout())).toMatchObject({ type: 'result', state: 'failed' });
  });

  test.each<[string, string[], number, string]>([
    ['an unknown run', ['run_x'], 2, 'there is no run "run_x"'],
    ['a model without --from', ['run_1', '--model', 'openai/x'], 2, '--model goes with --from'],
    ['a step that is none', ['run_1', '--from', 'x'], 2, '--from takes a number of steps'],
    ['a negative step', ['run_1', '--from', '-1'], 2, '--from takes a number of steps'],
    ['a bad model', ['run_1', '--from', '1', '--model', 'x'], 2, '--model takes <connection>/<id>'],
    ['an unknown connection', ['run_1', '--from', '1', '--model', 'no/x'], 4, 'names no connection'],
    ['a step beyond the last', ['run_2', '--from', '9'], 2, 'run_2 has 1 steps'],
    ['a format that is not there', ['run_1', '--output-format', 'stream-json'], 2, 'one of text, json'],
  ])('[SUR-1] %s is refused', async (_name, argv, exit, says) => {
    const one = line({ run_1: {}, run_2: {} });
    one.runtime.refusals.set('run_2', { code: 'not_found', message: 'run_2 has 1 steps; a fork keeps 0 to 1.' });
    expect(await one.run('replay', ...argv)).toBe(exit);
    expect(one.stderr()).toContain(says);
    expect(one.stdout()).toBe('');
  });
});

describe('errand compare', () => {
  const two = {
    run_1: { steps: [['list'], ['read', 'read']], answer: 'a\nb\nc' },
    run_2: { steps: [['list'], ['search']], answer: 'a\nx\nc', model: 'mock/n', state: 'interrupted' as const },
  };

  test('[DUR-8] side by side: model, steps, calls up to where they part, usage, ending, answer', async () => {
    const one = line(two);
    expect(await one.run('compare', 'run_1', 'run_2')).toBe(0);
    expect(one.stdout().split('\n')).toEqual([
      '        A                B',
      'run     run_1            run_2',
      'title   task of run_1    task of run_2',
      'model   mock/m           mock/n',
      'state   completed        interrupted (wall), partial',
      'steps   3                3',
      'calls   3                2',
      'tokens  2.0k in, 20 out  2.0k in, 20 out',
      'time    0ms              0ms',
      '',
      'They part at step 2 after list:',
      '  a  read {}',
      '  a  read {}',
      '  b  search {}',
      '',
      'The answers differ:',
      '  a',
      '- b',
      '+ x',
      '  c',
      '',
    ]);
  });

  test('[DUR-8] json is what the help says', async () => {
    const one = line(two);
    await one.run('compare', 'run_1', 'run_2', '--output-format', 'json');
    const side = {
      steps: 3,
      kept_steps: 0,
      usage: { input: 2_000, cached: 0, output: 20, reasoning: 0, unknown_calls: 0 },
      active_ms: 0,
    };
    expect(JSON.parse(one.stdout())).toEqual({
      type: 'comparison',
      a: {
        ...side,
        ...{ run_id: 'run_1', title: 'task of run_1', model: 'mock/m' },
        ...{ state: 'completed', reason: null, partial: false },
        tool_calls: [
          { step: 1, name: 'list', args: '{}' },
          { step: 2, name: 'read', args: '{}' },
          { step: 2, name: 'read', args: '{}' },
        ],
      },
      b: {
        ...side,
        ...{ run_id: 'run_2', title: 'task of run_2', model: 'mock/n' },
        ...{ state: 'interrupted', reason: 'wall', partial: true },
        tool_calls: [
          { step: 1, name: 'list', args: '{}' },
          { step: 2, name: 'search', args: '{}' },
        ],
      },
      same_model: false,
      same_state: false,
      parted_at_step: 2,
      answer: {
        equal: false,
        diff: [
          { in: 'both', text: 'a' },
          { in: 'a', text: 'b' },
          { in: 'b', text: 'x' },
          { in: 'both', text: 'c' },
        ],
      },
    });
    const help = line({});
    await help.run('compare', '--help');
    for (const key of ['kept_steps', 'parted_at_step', 'same_model', 'same_state', '"in"', 'active_ms']) {
      expect(help.stdout()).toContain(key);
    }
  });

  test('[DUR-8] a run is the same as itself, and arguments that say the same are the same', async () => {
    const one = line(two);
    await one.run('compare', 'run_1', 'run_1');
    expect(one.stdout()).toContain('All steps make the same calls.');
    expect(one.stdout()).toContain('The answers are equal.');
    const steps = [['read']];
    const parted = (a: string, b: string) =>
      compareRuns(eventsOf('run_1', { steps, args: a }), eventsOf('run_2', { steps, args: b })).parted_at_step;
    expect(
      parted('{"path":"a","lines":{"from":1,"to":[2,3]}}', '{ "lines": {"to": [2, 3], "from": 1}, "path": "a" }'),
    ).toBeNull();
    expect(parted('{"path":"a"}', '{"path":"b"}')).toBe(1);
    expect(parted('{"lines":[1,2]}', '{"lines":[2,1]}')).toBe(1);
    expect(parted('{broken', '{broken')).toBeNull();
    expect(parted('{broken', '{}')).toBe(1);
    const whole = eventsOf('run_1', { steps });
    expect(compareRuns(whole, whole.slice(0, 6)).parted_at_step).toBe(2);
  });

  test('[DUR-8] a run that goes on from another has its steps first', () => {
    const original = eventsOf('run_1', { steps: [['list'], ['read']] });
    const [created, ...rest] = eventsOf('run_2', { steps: [['read']] });
    if (created?.type !== 'run.created') throw new Error('a story begins with run.created');
    const call = { call_id: 'c', name: 'list', args: '{}' };
    const prefix = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [call] },
      { role: 'tool', results: [{ call_id: 'c', name: 'list', text: 'x', error: false }] },
    ] as const;
    const compared = compareRuns(original, [{ ...created, prefix }, ...rest]);
    expect(compared).toMatchObject({ parted_at_step: null, b: { steps: 2, kept_steps: 1 } });
    expect(compared.b.tool_calls.map(({ step, name }) => [step, name])).toEqual([
      [1, 'list'],
      [2, 'read'],
    ]);
  });

  test('[DUR-8] [SUR-4] an end that comes earlier is a parting, and what models write steers no terminal', async () => {
    const one = line({
      run_1: { steps: [['list']], answer: 'a\u001b[2J' },
      run_2: { steps: [], answer: 'b' },
    });
    await one.run('compare', 'run_1', 'run_2');
    expect(one.stdout()).toContain('They part at step 1:\n  a  list {}\n  b  no call\n');
    expect(one.stdout()).not.toContain('\u001b');
  });

  test('[SUR-1] an unknown run is exit 2', async () => {
    const one = line(two);
    expect(await one.run('compare', 'run_1', 'run_x')).toBe(2);
    expect(one.stderr()).toContain('there is no run "run_x"');
  });
});

describe('the difference of two texts', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });

  test('[DUR-8] gives back both, and names no line that need not be named', () => {
    fc.assert(
      fc.property(lines, lines, (a, b) => {
        const diff = diffOf(a, b);
        const side = (name: 'a' | 'b') => diff.filter((line) => line.in !== (name === 'a' ? 'b' : 'a'));
        expect(side('a').map(({ text }) => text)).toEqual(a);
        expect(side('b').map(({ text }) => text)).toEqual(b);
        expect(diff.filter((line) => line.in === 'both')).toHaveLength(commonOf(a, b));
      }),
    );
  });

  test('[DUR-8] of two large texts only what lies between their same ends is compared, and beyond a size as a whole', () => {
    const many = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`);
    expect(diffOf(['same', ...many('a'), 'end'], ['same', ...many('b'), 'end'])).toHaveLength(6_002);
    expect(diffOf([...many('a'), 'x', ...many('b')], [...many('a'), ...many('b')])).toHaveLength(6_001);
  });
});

/** Length of the longest common subsequence, by trying everything. */
function commonOf(a: readonly string[], b: readonly string[]): number {
  const known = new Map<string, number>();
  const from = (i: number, j: number): number => {
    if (i === a.length || j === b.length) return 0;
    const key = `${i} ${j}`;
    const found = known.get(key) ?? (a[i] === b[j] ? 1 + from(i + 1, j + 1) : Math.max(from(i + 1, j), from(i, j + 1)));
    known.set(key, found);
    return found;
  };
  return from(0, 0);
}

describe('errand backup and doctor', () => {
  test('[DUR-7] copies the store into a file, seen from where one is', async () => {
    const copied: string[] = [];
    const store = { ...SOUND, backup: async (file: string) => void copied.push(file) };
    const one = line({}, { store });
    expect(await one.run('backup', 'copy.db')).toBe(0);
    expect(copied).toEqual([`${import.meta.dirname}/copy.db`]);
    expect(one.stdout()).toBe(`The store is copied to ${import.meta.dirname}/copy.db.\n`);
    expect(one.opened).toEqual(['read']);
    const json = line({}, { store });
    await json.run('backup', '/copy.db', '--output-format', 'json');
    expect(JSON.parse(json.stdout())).toEqual({ type: 'backup', file: '/copy.db' });
  });

  test.each([
    ['conflict', 2],
    ['full', 4],
    ['io', 4],
  ])('[DUR-7] %s is exit %d and its own sentence', async (code, exit) => {
    const store = { ...SOUND, backup: () => Promise.reject(new CodedError(code, 'It cannot be made.')) };
    const one = line({}, { store });
    expect(await one.run('backup', 'copy.db')).toBe(exit);
    expect(one.stderr()).toBe('errand: It cannot be made.\n');
  });

  test('[DUR-7] [SUR-4] doctor tells of the store, and names what is wrong in it', async () => {
    const row = async (report: Awaited<ReturnType<typeof SOUND.check>>) => {
      const one = line({}, { store: { ...SOUND, check: async () => report } });
      const exit = await one.run('doctor', '--output-format', 'json');
      const { checks } = JSON.parse(one.stdout());
      return [exit, ...checks.filter(({ name }: { name: string }) => name === 'store')];
    };
    const path = '/nonexistent/errand-home/errand.db';
    const sqlite = '3.50.0';
    expect(await row({ problems: [], file: null, sqlite })).toEqual([
      0,
      { name: 'store', status: 'good', detail: `${path}: not there yet, which is fine (SQLite 3.50.0)` },
    ]);
    expect(await row({ problems: [], file: { bytes: 2_049, log_bytes: null }, sqlite })).toEqual([
      0,
      { name: 'store', status: 'good', detail: `${path}: 3 KB and no write-ahead log, SQLite 3.50.0` },
    ]);
    expect(
      await row({ problems: ['An event of run_1 is no JSON.'], file: { bytes: 1_024, log_bytes: 10 }, sqlite }),
    ).toEqual([
      1,
      { name: 'store', status: 'good', detail: `${path}: 1 KB and 1 KB of write-ahead log, SQLite 3.50.0` },
      { name: 'store', status: 'missing', detail: 'An event of run_1 is no JSON.' },
    ]);
  });
});
