import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createErrand, type Tool } from '../../src/index.ts';
import {
  answer,
  createScriptedModel,
  createScriptedServer,
  createTestClock,
  replyWith,
} from '../../src/testing/index.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'errand-library-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  writeFileSync(join(path, 'gate.ts'), 'export function openGate() {}\n');
  return path;
}

describe('createErrand', () => {
  it('[SUR-5] [MOD-8] works without any option: the offline model, in memory', async () => {
    const errand = await createErrand();
    const result = await errand.run({ task: 'Where is openGate defined?', model: 'offline/extract', cwd: folder() });
    expect(result).toMatchObject({ state: 'completed', cost: { usd: 0, complete: true } });
    expect(result.answer).toContain('gate.ts:1');
    expect(await errand.records()).not.toHaveLength(0);
    await errand.close();
  });

  it('[SUR-5] [AUTH-9] keeps runs in a folder, without the key', async () => {
    const server = await createScriptedServer(() => answer({ text: 'done' }));
    const [work, store] = [folder(), folder()];
    const connection = {
      name: 'work',
      kind: 'openai-compatible',
      baseUrl: server.url,
      apiKey: 'sk-FAKE-library-key',
      headers: { 'x-secret': 'FAKE-header' },
      callTimeoutMs: 60_000,
    } as const;
    const errand = await createErrand({ folder: store, connections: [connection], durability: 'full' });
    const result = await errand.run({ task: 'go', model: 'work/m', cwd: work });
    await errand.close();
    await server.close();
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer sk-FAKE-library-key',
      'x-secret': 'FAKE-header',
    });
    const bytes = readFileSync(join(store, 'errand.db'), 'latin1');
    expect(bytes).toContain(result.run_id);
    expect(bytes).not.toContain('FAKE');
    const again = await createErrand({ folder: store });
    expect(await again.result(result.run_id)).toEqual(result);
    await again.close();
  });

  it('[SUR-5] every part that matters can be replaced: models, tools, limits', async () => {
    const echo: Tool = {
      name: 'echo',
      risk: 'none',
      family: 'custom',
      description: 'Says it again.',
      parameters: { type: 'object' },
      parse: (args) => ({ ok: true, value: args }),
      execute: async (args) => ({ status: 'ok', output: JSON.stringify(args) }),
    };
    const model = createScriptedModel([
      replyWith({ calls: [{ name: 'echo', args: { a: 1 } }] }),
      replyWith({ text: 'echoed' }),
    ]);
    const errand = await createErrand({
      models: { connect: async () => ({ ok: true, value: model }) },
      tools: [echo],
      limits: { root_steps: 5 },
    });
    expect(await errand.run({ task: 'go', model: 'scripted/m', cwd: folder() })).toMatchObject({
      state: 'completed',
      answer: 'echoed',
    });
    model.assertFinished();
    await errand.close();
  });

  it('[SUR-5] [RUN-7] what cannot work rejects with a code and a sentence', async () => {
    const errand = await createErrand();
    await expect(errand.run({ task: ' ', model: 'offline/extract', cwd: folder() })).rejects.toMatchObject({
      code: 'no_task',
    });
    await expect(errand.run({ task: 'go', model: 'nowhere/m', cwd: folder() })).rejects.toMatchObject({
      code: 'no_model',
    });
    await errand.close();
    await errand.close();
  });

  it.each<[object, RegExp]>([
    [{ durability: 'full' }, /"durability" needs "folder"/u],
    [{ bogus: 1 }, /"bogus" is no option of createErrand; there are: folder/u],
    [{ folder: 'relative' }, /absolute/u],
    [{ limits: { helper_wall_ms: '10m' } }, /"limits.helper_wall_ms" must be a whole number from 1, in milliseconds/u],
    [{ limits: { nope: 1 } }, /no "nope"; there are: max_per_turn/u],
    [{ limits: { max_per_turn: -5 } }, /max_per_turn/u],
    [{ limits: { max_depth: 9 } }, /from 0 to 8/u],
    [{ connections: [{ name: 'x' }] }, /needs a "kind": openai-compatible/u],
    [{ connections: [{ name: 'a/b', kind: 'openai' }] }, /without slashes/u],
  ])('[SUR-5] [RUN-7] createErrand(%j) is refused by name', async (options, message) => {
    await expect(createErrand(options)).rejects.toMatchObject({
      code: 'options',
      message: expect.stringMatching(message),
    });
  });

  it('[SUR-5] a request without its parts is refused by name, and an undefined key is no key', async () => {
    const server = await createScriptedServer(() => answer({ text: 'done' }));
    const errand = await createErrand({
      connections: [{ name: 'local', kind: 'openai-compatible', baseUrl: server.url, apiKey: undefined }],
    });
    const run = errand.run as (request: unknown) => Promise<unknown>;
    await expect(run(undefined)).rejects.toMatchObject({
      code: 'options',
      message: expect.stringContaining('"task", "model" and "cwd"'),
    });
    await expect(run({ task: 'go', cwd: '/' })).rejects.toMatchObject({ message: 'A request needs "model", a text.' });
    await expect(run({ task: 'go', cwd: '/', model: 'local/m', walls: 1 })).rejects.toMatchObject({
      message: expect.stringContaining('"walls"'),
    });
    expect(await errand.run({ task: 'go', model: 'local/m', cwd: folder() })).toMatchObject({ answer: 'done' });
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    await errand.close();
    await server.close();
  });

  it('[DUR-5] deletes what is due, now and while it lives, and keeps count of what was used', async () => {
    const [work, store] = [folder(), folder()];
    const clock = createTestClock();
    const errand = await createErrand({ folder: store, clock, retention: { days: 3 } });
    const ask = () => errand.run({ task: 'Where is openGate defined?', model: 'offline/extract', cwd: work });
    const first = await ask();
    const helper = first.helpers[0]?.run_id ?? expect.fail('no helper');
    await clock.advance(2 * DAY);
    const second = await ask();
    await until(async () => (await codeOf(errand.events(helper))) === 'swept');
    expect(await errand.result(first.run_id)).toEqual(first);
    const [used] = await errand.usage();
    await clock.advance(4 * DAY);
    await ask();
    await until(async () => (await errand.records()).every(({ root_id }) => root_id !== first.run_id));
    await until(async () => (await errand.records()).every(({ root_id }) => root_id !== second.run_id));
    const deleted = first.helpers.length + second.helpers.length + 2;
    expect(await errand.usage()).toMatchObject([{ model: 'offline/extract', deleted }]);
    expect((await errand.usage())[0]?.usage.input).toBeGreaterThanOrEqual(used?.usage.input ?? 0);
    await errand.close();
  });

  it('[DUR-5] deletes nothing where a program says so, and refuses by name what cannot be meant', async () => {
    const work = folder();
    const clock = createTestClock();
    const errand = await createErrand({ clock, retention: null });
    const ask = () => errand.run({ task: 'Where is openGate defined?', model: 'offline/extract', cwd: work });
    const first = await ask();
    const before = await errand.records();
    await clock.advance(400 * DAY);
    await ask();
    for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect((await errand.records()).slice(0, before.length)).toEqual(before);
    for (const { run_id } of before) expect(await errand.events(run_id)).not.toHaveLength(0);
    expect(first.helpers.length).toBeGreaterThan(0);
    await errand.close();
    for (const [retention, message] of [
      [false, /"retention" is an object, or null/u],
      [{ weeks: 1 }, /no "weeks"; there are: days, hidden_days, runs/u],
      [{ days: 0 }, /"retention.days" must be a whole number from 1 to 36500\./u],
      [{ days: 36_501 }, /"retention.days" must be a whole number from 1 to 36500\./u],
      [{ hidden_days: 36_501, days: 36_500 }, /"retention.hidden_days" must be a whole number from 1 to 36500\./u],
      [{ runs: 10_000_001 }, /"retention.runs" must be a whole number from 1 to 10000000\./u],
      [{ runs: '5' }, /"retention.runs" must be a whole number/u],
      [{ hidden_days: 9 }, /^retention.hidden_days \(9\) must not be greater than retention.days \(7\): the conv/u],
    ] as const)
      await expect(createErrand({ retention: retention as never })).rejects.toMatchObject({
        code: 'options',
        message: expect.stringMatching(message),
      });
  });
});

const DAY = 86_400_000;

/** The code that it rejects with. */
function codeOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    () => null,
    (error: { code?: unknown }) => error.code,
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve));
}
