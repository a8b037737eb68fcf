import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import type { RunResult } from '../../src/domain/run/result.ts';
import { Story } from '../terminal/story.ts';
import { type AroundOptions, type CommandLine, createCommandLine, until } from './around.ts';
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
      '◌ scout "look around" tries again in 4.0s: try later',
      '‖ scout "look around" interrupted (wall), partial: 4.3s, 1.2k? tokens, 3 calls (search ×2, read)',
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

  test('[SUR-1] an answer steers no terminal, wherever it is written to; json escapes it', async () => {
    const answer = 'one\u001b[2J\u009b31m\ttwo\r\nthree\u0007\u202e';
    for (const stdoutTerminal of [false, true]) {
      const line = ending({ answer }, { stdoutTerminal });
      await line.run('run', 'x', '--quiet');
      expect(line.stdout()).toBe('one[2J31m\ttwo\nthree\n');
    }
    const json = ending({ answer });
    await json.run('run', 'x', '--output-format', 'json');
    expect(JSON.parse(json.stdout()).answer).toBe(answer);
    expect(json.stdout().trimEnd()).not.toMatch(/[\u0000-\u001f]/u);
  });

  test('[SUR-1] nor does what a provider says about an ending', async () => {
    const line = ending({ state: 'failed', reason: 'internal', answer: '', message: 'no\u001b]0;x\u0007\nway.' });
    await line.run('run', 'x', '--quiet');
    expect(line.stderr()).toContain('there is no answer: no]0;x way [failed (internal)]');
  });

  test('[RUN-4] a root that does not complete: how to read what its helpers had answered', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => {
      const story = new Story();
      const helper = (run_id: string, answer: string, ending: Parameters<Story['settle']>[2] = {}) => {
        story.start(run_id, { parent: 'root', title: `task\u001b of ${run_id}` });
        story.settle(run_id, answer, ending);
        return { run_id, title: `task\u001b of ${run_id}` } as RunResult['helpers'][number];
      };
      story.start('root', { title: 'the task' });
      const helpers = [
        helper('one', 'found it'),
        helper('two', '', { state: 'cancelled', reason: 'parent' }),
        helper('three', 'half', { state: 'interrupted', reason: 'wall', partial: true }),
      ];
      line.runtime.record(story.events);
      const message = 'Stopped by a signal.';
      line.runtime.finish(sampleResult('root', { state: 'cancelled', reason: 'signal', answer: '', message, helpers }));
    };
    expect(await line.run('run', 'x', '--quiet')).toBe(130);
    expect(line.stderr().split('\n')).toEqual([
      'errand: there is no answer: Stopped by a signal; look at it with: errand show root',
      'errand show one   # task of one: completed',
      'errand show three   # task of three: interrupted (wall)',
      '',
    ]);
  });

  test('[SUR-1] that the turn has no more helpers is said in few words, once; what the model was told is not', async () => {
    const line = createCommandLine();
    line.runtime.onStart = () => {
      const story = new Story();
      story.start('root', { title: 'the task' });
      story.answer('root', '', { calls: ['agent', 'agent', 'agent'] });
      const refused = (index: number, output: string) =>
        story.tell('root', {
          ...{ type: 'tool.finished', step: 1, call_id: `root-agent-${index}`, name: 'agent', status: 'refused' },
          ...{ output, ms: 0, active_ms: 0 },
        });
      refused(0, 'There is no role "x".');
      refused(1, 'This turn has used 16 of its 16 helpers; a person can raise limits.max_per_turn.');
      refused(2, 'This turn has used 16 of its 16 helpers; a person can raise limits.max_per_turn.');
      story.settle('root');
      line.runtime.record(story.events);
      line.runtime.finish(sampleResult('root'));
    };
    await line.run('run', 'x');
    expect(line.stderr()).toBe(
      '● root "the task"\n⊘ the turn\'s helpers are used up (16 of 16): --max-helpers raises it\n',
    );
  });

  test('[SUR-1] a line is free between the tree and an answer on the same terminal, and nowhere else', async () => {
    const free = async (given: AroundOptions, ...argv: string[]) => {
      const line = ending({}, given);
      await line.run('run', 'x', ...argv);
      return stripVTControlCharacters(line.stderr()).endsWith('\n\n');
    };
    expect(await free({ terminal: true, stdoutTerminal: true })).toBe(true);
    expect(await free({ terminal: true })).toBe(false);
    expect(await free({ stdoutTerminal: true })).toBe(false);
    expect(await free({ terminal: true, stdoutTerminal: true }, '--quiet')).toBe(false);
    expect(await free({ terminal: true, stdoutTerminal: true }, '--output-format', 'json')).toBe(false);
  });

  test('[SUR-1] at a terminal the row shows that text arrives', async () => {
    const line = createCommandLine({ terminal: true });
    const story = new Story();
    line.runtime.onStart = () => {
      line.runtime.record(story.start('root', { title: 'the task' }));
      line.runtime.record([story.tell('root', { type: 'model.started', step: 1, attempt: 1, report: null })]);
    };
    const ended = line.run('run', 'x');
    await until(() => line.runtime.hearers > 0 && line.runtime.observers > 0);
    await until(() => story.events.length === 3);
    for (let index = 0; index < 12; index++) line.runtime.write('root', 'a'.repeat(100));
    await line.clock.advance(1_000);
    expect(line.stderr()).toContain('writing, 1.2k characters');
    line.runtime.record([story.settle('root')]);
    line.runtime.finish(sampleResult('root'));
    await ended;
    expect(line.runtime.hearers).toBe(0);
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
