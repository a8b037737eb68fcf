import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  answer,
  createScriptedServer,
  type Reply,
  type ScriptedRequest,
  stallAfter,
  status,
} from '../../src/testing/index.ts';
import { delegating, REPORT } from '../engine/instance.ts';
import { BINARY, createPlace, errand, type Place, startErrand } from './binary.ts';

const lines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

async function serve(script: (request: ScriptedRequest) => Reply | Promise<Reply>) {
  const server = await createScriptedServer(script);
  const place = createPlace({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-FAKE-e2e' });
  return { server, place };
}

const runs = async (place: Place) =>
  JSON.parse((await errand(place, ['ps', '--all', '--output-format', 'json'])).stdout).runs;

describe('errand run', () => {
  it('[MOD-8] [SUR-1] answers with the offline model when nothing is configured: the answer on stdout, the rest on stderr', async () => {
    const place = createPlace();
    const run = await errand(place, ['run', 'Where is openGate defined? What calls openGate?']);
    expect(run.code).toBe(0);
    expect(run.stdout).toContain('alpha.ts:1');
    expect(run.stdout).toContain('beta.ts:3');
    expect(run.stdout).toMatch(/no language model/u);
    expect(run.stderr).toMatch(/scout .*completed/u);
  });

  it('[SUR-2] [PAIN-30] stream-json is one recorded event a line with its ids, and the result last, whole', async () => {
    const { place } = await serve(
      delegating([{ task: 'one' }, { task: 'two' }], () => answer({ text: `${'long '.repeat(40_000)}\n${REPORT}` })),
    );
    const run = await errand(place, ['run', 'ROOT', '--model', 'openai/m', '--output-format', 'stream-json']);
    expect(run.code).toBe(0);
    const events = lines(run.stdout);
    const result = events.pop();
    expect(result).toMatchObject({
      type: 'result',
      state: 'completed',
      answer: 'the merged answer',
      helpers: [{ state: 'completed' }, { state: 'completed' }],
    });
    const created = events.filter((event) => event.type === 'run.created');
    expect(created).toHaveLength(3);
    for (const event of events)
      expect(event).toMatchObject({ run_id: expect.any(String), seq: expect.any(Number), at: expect.any(Number) });
    for (const { run_id } of created) {
      const own = events.filter((event) => event.run_id === run_id);
      expect(own.map((event) => event.seq)).toEqual(own.map((_, index) => index + 1));
      expect(own.at(-1).type).toBe('run.settled');
    }
    expect(created.slice(1).map((event) => event.parent_id)).toEqual([result.run_id, result.run_id]);
  });

  it('[SUR-2] json is the result alone', async () => {
    const { place } = await serve(delegating([{ task: 'one' }], () => answer({ text: REPORT })));
    const run = await errand(place, ['run', '--model', 'openai/m', '--output-format', 'json', '--quiet'], {
      input: 'ROOT from stdin\n',
    });
    expect(JSON.parse(run.stdout)).toMatchObject({
      type: 'result',
      state: 'completed',
      reason: null,
      partial: false,
      helpers: [{ title: 'one', role: 'worker', model: 'openai/m', state: 'completed', steps: 1, tool_calls: [] }],
      usage: { own: { unknown_calls: 0 }, total: { unknown_calls: 0 } },
      cost: { usd: null, complete: false },
    });
    expect(run.stderr).toBe('');
  });

  it('[SUR-1] Ctrl-C stops the run and everything under it, keeps what was written, and leaves a settled record', async () => {
    const { server, place } = await serve(
      delegating([{ task: 'one' }, { task: 'two' }], () => stallAfter('half a thought')),
    );
    const run = startErrand(place, ['run', 'ROOT', '--model', 'openai/m', '--output-format', 'json']);
    await server.whenRequests(3);
    run.process.kill('SIGINT');
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      state: 'cancelled',
      reason: 'signal',
      helpers: [{ state: 'cancelled', reason: 'parent' }, { state: 'cancelled' }],
    });
    await server.whenIdle();
    expect((await runs(place)).map((record: { state: string }) => record.state)).toEqual([
      'cancelled',
      'cancelled',
      'cancelled',
    ]);
  });

  it('[SUR-1] SIGTERM ends it with 143', async () => {
    const { server, place } = await serve(() => stallAfter('half'));
    const run = startErrand(place, ['run', 'go', '--model', 'openai/m']);
    await server.whenRequests(1);
    run.process.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
  });

  it('[SUR-4] another process sees the runs, and stops one', async () => {
    const { server, place } = await serve(
      delegating([{ task: 'one', title: 'the stalling one' }], () => stallAfter('half a thought')),
    );
    const run = startErrand(place, ['run', 'ROOT', '--model', 'openai/m']);
    await server.whenRequests(2);
    const seen = await runs(place);
    expect(seen).toMatchObject([
      { parent_id: null, state: 'waiting' },
      { title: 'the stalling one', state: 'running' },
    ]);
    const stop = await errand(place, ['stop', seen[1].run_id]);
    expect(stop).toMatchObject({ code: 0, stdout: expect.stringMatching(/cancelled/u) });
    // The parent goes on with what there is.
    expect(await run.ended).toMatchObject({ code: 0, stdout: 'the merged answer\n' });
    const after = await runs(place);
    expect(after[1]).toMatchObject({ state: 'cancelled', reason: 'user' });
    await server.whenIdle();
  });

  it('[SUR-4] a stopped root ends with 5', async () => {
    const { server, place } = await serve(() => stallAfter('half'));
    const run = startErrand(place, ['run', 'go', '--model', 'openai/m']);
    await server.whenRequests(1);
    const [seen] = await runs(place);
    expect((await errand(place, ['stop', seen.run_id])).code).toBe(0);
    expect((await run.ended).code).toBe(5);
  });

  it('[SUR-1] a partial answer is printed, said to be partial, and exits with 3', async () => {
    const { place } = await serve(() => answer({ text: 'still looking', calls: [{ name: 'list', args: {} }] }));
    const run = await errand(place, ['run', 'go', '--model', 'openai/m', '--steps', '2']);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain('still looking');
    expect(run.stderr).toMatch(/partial/iu);
    expect(run.stderr).toMatch(/2 steps/u);
  });
});

// Only where the system has a device that is always full.
describe.runIf(existsSync('/dev/full'))('stdout', () => {
  const full = (place: Place, argv: string) => {
    const { status: code, stderr } = spawnSync(
      'sh',
      ['-c', `exec "$0" "$1" ${argv} > /dev/full`, process.execPath, BINARY],
      {
        cwd: place.work,
        env: place.environment,
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    return { code, stderr };
  };

  it.each(['--help', 'ps', 'doctor --output-format json', "run 'Where is openGate?' --quiet"])(
    '[SUR-1] [SUR-2] that cannot be written is one sentence and exit 1: %s',
    (argv) => {
      expect(full(createPlace(), argv)).toEqual({
        code: 1,
        stderr: 'errand: what was printed could not be written to stdout: there is no space left.\n',
      });
    },
  );
});

describe('bad input', () => {
  it.each([
    ['a missing directory', ['run', 'go', '--cwd', '/nonexistent/errand'], '', 2, /\/nonexistent\/errand/u],
    ['an empty task', ['run', '   '], '', 2, /task/u],
    ['no task at all', ['run'], '', 2, /task/u],
    ['a task of 2 MB', ['run'], 'x'.repeat(2_000_000), 2, /2000000 characters.*500000/u],
    ['an unknown flag', ['run', 'go', '--helper-stepz', '3'], '', 2, /--helper-stepz/u],
    ['a time that is none', ['run', 'go', '--wall', 'soon'], '', 2, /--wall.*soon/u],
    ['a number out of range', ['run', 'go', '--max-concurrent', '0'], '', 2, /--max-concurrent/u],
    [
      'an unknown format',
      ['run', 'go', '--output-format', 'xml'],
      '',
      2,
      /xml.*text.*json.*stream-json|text.*json.*stream-json/u,
    ],
    ['an unknown connection', ['run', 'go', '--model', 'nowhere/m'], '', 4, /nowhere/u],
    ['a model without a connection', ['run', 'go', '--model', 'm'], '', 2, /<connection>\/<id>/u],
    ['an unknown offline model', ['run', 'go', '--model', 'offline/other'], '', 4, /offline\/extract|extract/u],
    ['an unknown run', ['show', 'run_nowhere'], '', 2, /run_nowhere/u],
    ['a run to stop that is not there', ['stop', 'run_nowhere'], '', 2, /run_nowhere/u],
    ['an unknown command', ['rum', 'go'], '', 2, /rum/u],
  ])(
    '[RUN-7] [SUR-1] %s: one sentence, the right exit code, nothing created',
    async (_name, args, input, code, message) => {
      const place = createPlace();
      const run = await errand(place, args, { input });
      expect(run).toMatchObject({ code, stdout: '' });
      expect(run.stderr).toMatch(message);
      expect(run.stderr).not.toMatch(/\n\s+at |node:internal/u);
      expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
      expect(existsSync(place.home)).toBe(false);
    },
  );

  it.each([
    ['a key that the server refuses', 401, { error: { message: 'Incorrect API key provided: sk-FAKE-e2e' } }, /key/iu],
    [
      'a model that the server does not know',
      404,
      { error: { message: 'The model `m` does not exist', code: 'model_not_found' } },
      /openai\/m|model/u,
    ],
  ])('[RUN-7] [MOD-1] %s: one sentence, exit 4, no run left', async (_name, code, body, message) => {
    const { place } = await serve(() => status(code, body));
    for (const format of ['text', 'json', 'stream-json']) {
      const run = await errand(place, ['run', 'go', '--model', 'openai/m', '--output-format', format]);
      expect(run).toMatchObject({ code: 4, stdout: '' });
      expect(run.stderr).toMatch(message);
      expect(run.stderr).not.toContain('sk-FAKE-e2e');
    }
    expect(await runs(place)).toEqual([]);
  });

  it('[RUN-7] a configuration that cannot be read: file, line and column, exit 4', async () => {
    const place = createPlace();
    const { mkdirSync, writeFileSync } = await import('node:fs');
    mkdirSync(`${place.work}/.errand`);
    writeFileSync(`${place.work}/.errand/config.toml`, 'model = "a/b"\n[limits\n');
    const run = await errand(place, ['run', 'go']);
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toMatch(/config\.toml:2:\d+/u);
    expect(existsSync(place.home)).toBe(false);
  });
});
