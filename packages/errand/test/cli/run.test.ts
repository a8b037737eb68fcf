import { describe, expect, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import type { RunResult } from '../../src/domain/run/result.ts';
import { Story } from '../terminal/story.ts';
import { type AroundOptions, type CommandLine, createCommandLine } from './around.ts';
import { sampleResult } from './fake-runtime.ts';

/** A command line whose run ends as soon as it has started. */
function ending(changes: Partial<RunResult> = {}, given: AroundOptions = {}): CommandLine {
  const line = createCommandLine(given);
  line.runtime.onStart = () => {
    const story = new Story();
    line.runtime.record(story.start('root', { title: 'the task' }));
    line.runtime.record(story.answer('root', 'the answer'));
    line.runtime.record([story.settle('root')]);
    line.runtime.finish(sampleResult('root', changes));
  };
  return line;
}

/** A root with a helper that searches, fails once and ends; told bundle by bundle. */
function tellHelper(line: CommandLine, changes: Partial<RunResult> = {}): void {
  const { runtime } = line;
  const story = new Story();
  runtime.record(story.start('root', { title: 'the task' }));
  runtime.record(story.answer('root', '', { calls: ['agent'] }));
  runtime.record([story.startCall('root', 'agent'), ...story.start('one', { parent: 'root', title: 'look around' })]);
  const fault = { code: 'overloaded', message: 'try later', retryable: true } as const;
  const usage = { input: 0, cached: 0, output: 0, reasoning: 0, unknown_calls: 1 };
  const failed = {
    type: 'model.failed',
    step: 1,
    attempt: 1,
    fault,
    text: '',
    usage,
    retry_in_ms: 4_000,
    active_ms: 0,
  } as const;
  runtime.record([story.tell('one', failed)]);
  story.pass(4_300);
  runtime.record(story.answer('one', '', { calls: ['search', 'search', 'read'], usage: { input: 1_200 } }));
  for (const [index, name] of ['search', 'search', 'read'].entries()) {
    runtime.record([story.startCall('one', name, index), story.endCall('one', name, index)]);
  }
  runtime.record([story.settle('one', 'half', { state: 'interrupted', reason: 'wall', partial: true })]);
  runtime.record([story.endCall('root', 'agent')]);
  runtime.record(story.answer('root', 'the answer'));
  runtime.record([story.settle('root')]);
  runtime.finish(sampleResult('root', changes));
}

describe('what is asked of the runtime', () => {
  test('[SUR-1] flags become the request: bounds of the root, of each helper, of the turn', async () => {
    const line = ending();
    await line.run(
      'run',
      ' the task ',
      ...['--max-helpers', '3', '--steps', '7', '--wall', '1m', '--helper-steps', '5', '--helper-wall', '2.5'],
      ...['--model', 'offline/extract', '--effort', 'high'],
    );
    expect(line.runtime.started).toEqual([
      {
        task: 'the task',
        model: 'offline/extract',
        askedModel: 'offline/extract',
        cwd: import.meta.dirname,
        effort: 'high',
        maxPerTurn: 3,
        limits: { steps: 7, wall_ms: 60_000 },
        helperLimits: { steps: 5, wall_ms: 2_500 },
      },
    ]);
    expect(line.opened).toEqual(['run']);
    expect(line.runtime.closed).toBe(true);
  });

  test('[MOD-2] [LIM-6] what is not asked for is left to the runtime', async () => {
    const line = ending();
    await line.run('run', 'x', '--cwd', '..');
    expect(line.runtime.started[0]).toMatchObject({ askedModel: null, effort: null, helperLimits: {} });
    expect(line.runtime.started[0]?.cwd).toBe(`${import.meta.dirname.replace(/\/cli$/u, '')}`);
  });

  test('[SUR-1] the task comes from stdin for "-" and where stdin is no terminal', async () => {
    for (const argv of [['run', '-'], ['run']]) {
      const line = ending({}, { stdin: '\n where is it?\nsay where \n' });
      expect(await line.run(...argv)).toBe(0);
      expect(line.runtime.started[0]?.task).toBe('where is it?\nsay where');
    }
  });

  test('[SUR-1] an argument wins, and stdin is not read', async () => {
    const line = ending({}, { stdin: 'other' });
    await line.run('run', 'this');
    expect(line.runtime.started[0]?.task).toBe('this');
  });

  test('[SUR-1] characters that fall between two chunks of stdin stay whole', async () => {
    const text = `x${'é日🙂'.repeat(20_000)}`;
    const line = ending({}, { stdin: text });
    await line.run('run');
    expect(line.runtime.started[0]?.task).toBe(text);
  });
});

describe('text', () => {
  test('[SUR-1] the answer on stdout with a line break, progress on stderr', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => tellHelper(line);
    expect(await line.run('run', 'x')).toBe(0);
    expect(line.stdout()).toBe('the answer\n');
    expect(line.stderr().split('\n')).toEqual([
      '● root "the task"',
      '● scout "look around" started (one)',
      '◌ scout "look around" tries again in 4s: try later',
      '‖ scout "look around" interrupted (wall), partial: 4.3s, 1.2k tokens, 3 calls (search ×2, read)',
      '',
    ]);
  });

  test('[SUR-1] --quiet leaves the answer alone', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => tellHelper(line);
    expect(await line.run('run', 'x', '--quiet')).toBe(0);
    expect(line.stdout()).toBe('the answer\n');
    expect(line.stderr()).toBe('');
  });

  test('[RUN-4] a partial answer is said to be partial, in words, with the id to look at', async () => {
    const line = ending({
      state: 'interrupted',
      reason: 'wall',
      partial: true,
      answer: 'half',
      message: 'the time was over.',
    });
    expect(await line.run('run', 'x', '--quiet')).toBe(3);
    expect(line.stdout()).toBe('half\n');
    expect(line.stderr()).toBe(
      'errand: this answer is partial: the time was over [interrupted (wall)]; look at it with: errand show root; go on with it: errand resume root\n',
    );
  });

  test('[RUN-3] no answer: nothing on stdout', async () => {
    const line = ending({ state: 'failed', reason: 'empty_answer', answer: '', message: 'the model wrote nothing' });
    expect(await line.run('run', 'x', '--quiet')).toBe(1);
    expect(line.stdout()).toBe('');
    expect(line.stderr()).toContain('there is no answer: the model wrote nothing [failed (empty_answer)]');
  });

  test('[SUR-1] at a terminal a tree of the runs, which stays; with CI or TERM=dumb plain lines', async () => {
    const line = createCommandLine({ terminal: true });
    line.runtime.onStart = () => tellHelper(line);
    await line.run('run', 'x');
    expect(line.stderr()).toContain('└─ ');
    expect(line.stderr()).toContain('look around');
    expect(line.stderr()).toContain('\u001b[');
    expect(line.clock.pending).toBe(0);
    for (const environment of [{ CI: 'true' }, { TERM: 'dumb' }]) {
      const plain = createCommandLine({ terminal: true, environment });
      plain.runtime.onStart = () => tellHelper(plain);
      await plain.run('run', 'x');
      expect(plain.stderr()).toContain('● scout "look around" started (one)');
      expect(plain.stderr()).not.toContain('\u001b');
    }
  });

  test('[SUR-1] NO_COLOR is honoured', async () => {
    const line = createCommandLine({ terminal: true, environment: { NO_COLOR: '1' } });
    line.runtime.onStart = () => tellHelper(line);
    await line.run('run', 'x');
    expect(line.stderr()).toContain('└─ ');
    expect(line.stderr()).not.toMatch(/\u001b\[\d+m/u);
  });
});

describe('json', () => {
  test('[SUR-2] one object, the result', async () => {
    const line = ending({}, {});
    expect(await line.run('run', 'x', '--output-format', 'json', '--quiet')).toBe(0);
    expect(JSON.parse(line.stdout())).toEqual(sampleResult('root'));
    expect(line.stdout().endsWith('}\n')).toBe(true);
  });

  test('[SUR-2] the format may come from the environment; the flag wins', async () => {
    const environment = { ERRAND_OUTPUT_FORMAT: 'json' };
    const line = ending({}, { environment });
    await line.run('run', 'x');
    expect(JSON.parse(line.stdout())).toMatchObject({ type: 'result' });
    const text = ending({}, { environment });
    await text.run('run', 'x', '--output-format', 'text');
    expect(text.stdout()).toBe('the answer\n');
  });
});

describe('refused and withdrawn', () => {
  test.each([
    ['no_model', 4],
    ['no_folder', 2],
    ['full', 4],
  ] as const)('[RUN-7] a start that is refused with %s is exit %d, stdout is empty', async (code, exit) => {
    for (const format of ['text', 'json', 'stream-json']) {
      const line = createCommandLine();
      line.runtime.refusal = { code, message: 'it cannot be: do this instead.' };
      expect(await line.run('run', 'x', '--output-format', format)).toBe(exit);
      expect(line.stdout()).toBe('');
      expect(line.stderr()).toBe('errand: it cannot be: do this instead.\n');
      expect(line.runtime.closed).toBe(true);
    }
  });

  test.each(['text', 'json', 'stream-json'])(
    '[SUR-2] a key that is refused by the first call leaves no %s',
    async (format) => {
      const line = createCommandLine();
      line.runtime.onStart = () => {
        const story = new Story();
        const fault = { code: 'refused_key', message: 'no', retryable: false } as const;
        const usage = { input: 0, cached: 0, output: 0, reasoning: 0, unknown_calls: 1 };
        line.runtime.record(story.start('root'));
        line.runtime.record([
          story.tell('root', { type: 'model.started', step: 1, attempt: 1, report: null }),
          story.tell('root', {
            type: 'model.failed',
            step: 1,
            attempt: 1,
            fault,
            text: '',
            usage,
            retry_in_ms: null,
            active_ms: 0,
          }),
          story.settle('root', '', { state: 'failed', reason: 'provider_refused' }),
        ]);
        line.runtime.withdraw(Object.assign(new Error('the key of "openai" is refused'), { code: 'refused_key' }));
      };
      expect(await line.run('run', 'x', '--output-format', format)).toBe(4);
      expect(line.stdout()).toBe('');
      expect(line.stderr()).toBe('errand: the key of "openai" is refused\n');
    },
  );

  test.each(['full', 'read_only', 'corrupt', 'io', 'busy'])(
    '[DUR-7] a store that fails with %s in the middle is exit 4 and says what to do',
    async (code) => {
      const line = createCommandLine();
      line.runtime.onStart = () => line.runtime.withdraw(new CodedError(code, 'The disk is full. Free some space.'));
      expect(await line.run('run', 'x')).toBe(4);
      expect(line.stderr()).toBe('errand: the run root broke off: The disk is full. Free some space.\n');
    },
  );

  test('[DUR-6] a run that another process has taken over is exit 1', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => line.runtime.withdraw(new CodedError('fenced', 'It has been taken over.'));
    expect(await line.run('run', 'x')).toBe(1);
  });

  test('[SUR-2] a record that could not be kept is exit 1 and says so', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => line.runtime.withdraw(new Error('the disk is full'));
    expect(await line.run('run', 'x', '--output-format', 'json')).toBe(1);
    expect(line.stdout()).toBe('');
    expect(line.stderr()).toBe('errand: the run root broke off: the disk is full\n');
  });
});
