import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { TASK_LENGTH } from '../../src/domain/brief/brief.ts';
import { type AroundOptions, createCommandLine, until } from './around.ts';

interface Wrong {
  readonly argv: readonly string[];
  readonly exit: number;
  readonly says: string;
  readonly given?: AroundOptions;
}

const openai = { OPENAI_API_KEY: 'very-secret' };

const WRONG: Readonly<Record<string, Wrong>> = {
  'no command': { argv: [], exit: 2, says: 'errand run "<task>"' },
  'a task without a command': { argv: ['where is it?'], exit: 2, says: 'to run a task: errand run "<task>"' },
  'several words without a command': { argv: ['where', 'is', 'it'], exit: 2, says: 'no command "where is it"' },
  'an unknown flag': { argv: ['run', '--speed', '3', 'x'], exit: 2, says: "unknown option '--speed'" },
  'an unknown flag before a command': { argv: ['--speed'], exit: 2, says: "unknown option '--speed'" },
  'a flag without its value': { argv: ['run', 'x', '--wall'], exit: 2, says: '--wall <time>' },
  'two tasks': { argv: ['run', 'a', 'b'], exit: 2, says: 'too many arguments' },
  'a bad time': {
    argv: ['run', 'x', '--wall', '5 m'],
    exit: 2,
    says: '--wall takes a time in seconds or one such as 30s, 5m or 1h',
  },
  'a bad count': {
    argv: ['run', 'x', '--max-helpers', '-1'],
    exit: 2,
    says: '--max-helpers takes a whole number from 0',
  },
  'a bad format': { argv: ['run', 'x', '--output-format', 'xml'], exit: 2, says: 'one of text, json, stream-json' },
  'a bad format to read in': { argv: ['ps', '--output-format', 'stream-json'], exit: 2, says: 'one of text, json' },
  'a bad model': { argv: ['run', 'x', '--model', 'gpt'], exit: 2, says: '--model takes <connection>/<id>' },
  'an unknown connection': { argv: ['run', 'x', '--model', 'no/x'], exit: 4, says: 'names no connection' },
  'an unknown offline model': { argv: ['run', 'x', '--model', 'offline/x'], exit: 4, says: 'offline/extract only' },
  'no model chosen': { argv: ['run', 'x'], exit: 4, says: 'no model is chosen', given: { environment: openai } },
  'an empty task': { argv: ['run', ''], exit: 2, says: 'the task is empty' },
  'a blank task': { argv: ['run', ' \n '], exit: 2, says: 'the task is empty' },
  'an empty stdin': { argv: ['run'], exit: 2, says: 'the task is empty', given: { stdin: '\n' } },
  'no task at a terminal': { argv: ['run'], exit: 2, says: 'there is no task' },
  'a task of 2 MB': {
    argv: ['run', '-'],
    exit: 2,
    says: `${TASK_LENGTH} characters at most`,
    given: { stdin: 'x'.repeat(2_000_000) },
  },
  'a task of more than is read': {
    argv: ['run'],
    exit: 2,
    says: 'bytes long',
    given: { stdin: 'x'.repeat(5_000_000) },
  },
  'a long argument': {
    argv: ['run', 'x'.repeat(TASK_LENGTH + 1)],
    exit: 2,
    says: `${TASK_LENGTH + 1} characters long`,
  },
  'a missing folder': { argv: ['run', 'x', '--cwd', '/not/there'], exit: 2, says: 'there is no folder /not/there' },
  'a file as folder': { argv: ['run', 'x', '--cwd', import.meta.filename], exit: 2, says: 'is not a folder' },
  'an unknown run': { argv: ['show', 'run_x'], exit: 2, says: 'there is no run "run_x"' },
  'an unknown run to follow': { argv: ['logs', 'run_x', '-f'], exit: 2, says: 'there is no run "run_x"' },
  'an unknown run to stop': { argv: ['stop', 'run_x'], exit: 2, says: 'there is no run "run_x"' },
  'a run without a name': { argv: ['show'], exit: 2, says: "missing required argument 'run'" },
  'an empty name': { argv: ['show', ''], exit: 2, says: 'there is no run ""' },
  'a task that is no text': {
    argv: ['run', '-'],
    exit: 2,
    says: 'the task on stdin is not UTF-8 text',
    given: { stdin: new Uint8Array([0x77, 0xff, 0xfe, 0x80]) },
  },
  'a copy into a folder that is not there': {
    argv: ['backup', '/not/there/copy.db'],
    exit: 2,
    says: 'there is no folder /not/there to put',
  },
  'a command of config that is none': { argv: ['config', 'set'], exit: 2, says: 'no command "config set"' },
  'its help': { argv: ['config', 'set', '--help'], exit: 2, says: 'no command "config set"' },
  'help on a command that is none': { argv: ['help', 'foo'], exit: 2, says: 'no command "foo"' },
  'the same as a flag': { argv: ['foo', '--help'], exit: 2, says: 'no command "foo"' },
  'the same, short': { argv: ['foo', '-h'], exit: 2, says: 'no command "foo"' },
  'help on a word of a command that is none': { argv: ['help', 'config', 'foo'], exit: 2, says: '"config foo"' },
  'a bad variable': {
    argv: ['ps'],
    exit: 4,
    says: 'ERRAND_WALL takes a time',
    given: { environment: { ERRAND_WALL: 'x' } },
  },
  'a store that cannot be opened': {
    argv: ['ps'],
    exit: 4,
    says: 'errand: the disk is full\n',
    given: { openFault: new CodedError('full', 'the disk is full') },
  },
  'a store that cannot be opened for another reason': {
    argv: ['ps'],
    exit: 4,
    says: 'the store /nonexistent/errand-home/errand.db cannot be opened: no such thing',
    given: { openFault: new Error('no such thing') },
  },
};

describe('what is wrong is said in one sentence, and nothing is created', () => {
  test.each(Object.entries(WRONG))('[SUR-1] [RUN-7] %s', async (_name, { argv, exit, says, given }) => {
    const line = createCommandLine(given);
    expect(await line.run(...argv)).toBe(exit);
    expect(line.stdout()).toBe('');
    expect(line.stderr()).toContain(says);
    expect(line.stderr()).toMatch(/^errand: [^\n]+\n$/u);
    expect(line.stderr()).not.toContain('    at ');
    expect(line.stderr()).not.toContain('very-secret');
    expect(line.runtime.started).toEqual([]);
    expect(line.opened).not.toContain('run');
  });

  test('[SUR-1] a broken configuration: file, line and column, exit 4, for every command but doctor', async () => {
    const home = mkdtempSync(join(tmpdir(), 'errand-cli-'));
    onTestFinished(() => rmSync(home, { recursive: true }));
    mkdirSync(join(home, 'x'));
    writeFileSync(join(home, 'config.toml'), 'model = \n');
    for (const argv of [['run', 'x'], ['ps'], ['show', 'x'], ['logs', 'x'], ['stop', 'x'], ['config', 'status']]) {
      const line = createCommandLine({ environment: { ERRAND_HOME: home } });
      expect(await line.run(...argv)).toBe(4);
      expect(line.stderr()).toMatch(/^errand: \S+config\.toml:1:9: [^\n]+\n$/u);
      expect(line.opened).toEqual([]);
    }
    const doctor = createCommandLine({ environment: { ERRAND_HOME: home } });
    expect(await doctor.run('doctor')).toBe(1);
    expect(doctor.stdout()).toContain('config.toml:1:9');
    expect(readdirSync(home).toSorted()).toEqual(['config.toml', 'x']);
  });

  test('[SUR-1] a stack only for those who ask for it', async () => {
    const fault = new CodedError('io', 'broken\n    at nowhere');
    const line = createCommandLine({ openFault: fault, environment: { ERRAND_DEBUG: '1' } });
    await line.run('ps');
    expect(line.stderr()).toContain('    at ');
    const quiet = createCommandLine({ openFault: fault });
    await quiet.run('ps');
    expect(quiet.stderr()).toMatch(/^errand: [^\n]+\n$/u);
  });

  test.each([
    ...['--help', '-h', '--version', '-v', '-V', 'help', 'run --help', 'run x -h', 'help run'],
    ...['config', 'config --help', 'config status -h', 'help config status'],
  ])('[SUR-1] errand %s goes to stdout, exit 0', async (words) => {
    const line = createCommandLine();
    expect(await line.run(...words.split(' '))).toBe(0);
    expect(line.stdout()).not.toBe('');
    expect(line.stderr()).toBe('');
    expect(line.opened).toEqual([]);
  });

  test('[SUR-1] an answer that looks like a flag for help is a task', async () => {
    const line = createCommandLine();
    void line.run('run', '--', '--help');
    await until(() => line.runtime.started.length > 0);
    expect(line.runtime.started[0]?.task).toBe('--help');
  });

  test.each([['ps'], ['--help'], ['config', 'status'], ['run', 'x', '--cwd', '/not/there']])(
    '[SUR-1] [SUR-2] stdout that cannot be written is one sentence and exit 1: %s',
    async (...argv) => {
      const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const line = createCommandLine({ stdoutFault: full });
      expect(await line.run(...argv)).toBe(1);
      expect(line.stderr()).toMatch(
        /errand: what was printed could not be written to stdout: there is no space left\.\n$/u,
      );
    },
  );

  test('[SUR-1] the help of run names every flag, its default and the exit codes', async () => {
    const line = createCommandLine();
    await line.run('run', '--help');
    const { RUN_OPTIONS } = await import('../../src/app/options.ts');
    for (const { flag, environment } of RUN_OPTIONS) {
      expect(line.stdout()).toContain(flag);
      if (environment) expect(line.stdout()).toContain(environment);
    }
    expect(line.stdout()).toContain('130 and 143');
  });
});
