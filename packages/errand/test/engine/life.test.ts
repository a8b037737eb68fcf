import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isJsonObject } from '../../src/base/json.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { answer, endless, hang, stallAfter, status } from '../../src/testing/index.ts';
import { createInstance, delegating, openingOf, REPORT, resultsOf } from './instance.ts';

const systemOf = (request: { messages: readonly Record<string, unknown>[] }) =>
  String(request.messages[0]?.['content']);

describe('a run', () => {
  it('[RUN-1] root and helper are journaled alike, step by step', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look' }], (request) =>
        resultsOf(request).length === 0 ? answer({ calls: [{ name: 'list', args: {} }] }) : answer({ text: REPORT }),
      ),
    );
    const result = await instance.run('ROOT');
    const kinds = (id: string) => instance.events.filter((event) => event.run_id === id).map((event) => event.type);
    const shape = [
      'run.created',
      'run.started',
      'model.started',
      'model.finished',
      'tool.started',
      'tool.finished',
      'model.started',
      'model.finished',
      'run.settled',
    ];
    const helper = result.helpers[0]?.run_id ?? '';
    expect(kinds(helper)).toEqual(shape);
    expect(kinds(result.run_id).filter((type) => !type.startsWith('run.w') && type !== 'run.running')).toEqual(shape);
    expect((await instance.runtime.events(helper)).map((event) => event.seq)).toEqual(
      shape.map((_, index) => index + 1),
    );
  });

  it('[RUN-6] records who, what, where and how it ended', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look', role: 'explore', title: 'a look' }], () =>
        answer({ text: REPORT, usage: { input: 7, cached: 3, output: 5, reasoning: 2 } }),
      ),
    );
    const result = await instance.run('ROOT', { effort: 'low' });
    const [root, helper] = await instance.runtime.records({ rootId: result.run_id });
    expect(root).toMatchObject({ parent_id: null, depth: 0, state: 'completed', session_id: result.session_id });
    expect(helper).toMatchObject({
      parent_id: result.run_id,
      root_id: result.run_id,
      session_id: result.session_id,
      depth: 1,
      role: 'scout',
      title: 'a look',
      model: 'mock/m',
      state: 'completed',
      reason: null,
      steps: 1,
    });
    expect(helper?.usage).toEqual({ input: 7, cached: 3, output: 5, reasoning: 2, unknown_calls: 0 });
    const [created] = await instance.runtime.events(helper?.run_id ?? '');
    expect(created).toMatchObject({
      asked_model: null,
      model_from: 'parent',
      effort: 'low',
      cwd: root?.cwd,
      limits: { steps: 60, tool_calls: 400, wall_ms: 1_800_000 },
    });
    expect(result.usage.total.input).toBe((result.usage.own.input ?? 0) + 7);
  });

  it('[RUN-8] a helper starts with its brief alone', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look at the notes', context: 'they are short' }], () => answer({ text: REPORT })),
    );
    await instance.run('ROOT with a secret plan');
    const request =
      instance.server.requests.find((candidate) => systemOf(candidate).includes('You are a helper.')) ??
      expect.fail('no helper request');
    expect(request.messages).toHaveLength(2);
    expect(request.text).not.toContain('secret plan');
    const opening = openingOf(request);
    expect(opening).toMatch(/Another model is asking/u);
    expect(opening).toMatch(/Nobody is reading along/u);
    expect(opening).toContain('QUESTION\nlook at the notes');
    expect(opening).toContain('ALREADY_KNOWN\nthey are short');
  });

  it('[CTX-1] is told the instructions of its own folder, and not those of another', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look' }, { task: 'look', cwd: 'inner' }], () => answer({ text: REPORT })),
    );
    writeFileSync(join(instance.folder, 'AGENTS.md'), 'Indent with three spaces.');
    mkdirSync(join(instance.folder, 'inner'));
    writeFileSync(join(instance.folder, 'inner', 'AGENTS.md'), 'Indent with tabs.');
    await instance.run('ROOT');
    const systems = instance.server.requests.map(systemOf);
    const told = systems.map((system) => /Indent with ([a-z ]+)\./u.exec(system)?.[1]);
    expect(told).toEqual(['three spaces', expect.anything(), expect.anything(), 'three spaces']);
    expect(told.slice(1, 3).toSorted()).toEqual(['tabs', 'three spaces']);
  });

  it('[MOD-2] a helper inherits model, connection, folder and effort', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look' }, { task: 'ask', model: 'other/m2' }], () => answer({ text: REPORT })),
    );
    const result = await instance.run('ROOT', { effort: 'high' });
    expect(result.helpers.map((helper) => helper.model)).toEqual(['mock/m', 'other/m2']);
    const keys = instance.server.requests.map((request) => [request.body['model'], request.headers.authorization]);
    expect(keys).toContainEqual(['m2', 'Bearer sk-FAKE-other']);
    expect(keys).toContainEqual(['m', 'Bearer sk-FAKE-key-of-the-test']);
    for (const request of instance.server.requests) expect(request.body['reasoning_effort']).toBe('high');
  });

  it('[AUTH-9] credentials are in no event, record or result', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look' }], () => status(400, { error: { message: 'bad key sk-FAKE-key-of-the-test?' } })),
    );
    const result = await instance.run('ROOT');
    const told = JSON.stringify([instance.events, result, await instance.runtime.records()]);
    expect(told).not.toContain('sk-FAKE');
  });

  it('[AUTH-1] a call that was not offered is refused when it arrives all the same', async () => {
    let acted = 0;
    const writer: Tool = {
      name: 'scribble',
      risk: 'write',
      family: 'custom',
      description: 'Writes.',
      parameters: { type: 'object' },
      parse: (args) => ({ ok: true, value: args }),
      execute: async () => {
        acted++;
        return { status: 'ok', output: 'written' };
      },
    };
    const script = (request: Parameters<Parameters<typeof createInstance>[0]>[0]) =>
      resultsOf(request).length === 0 ? answer({ calls: [{ name: 'scribble', args: {} }] }) : answer({ text: REPORT });
    const instance = await createInstance(delegating([{ task: 'look' }], script), { extraTools: [writer] });
    await instance.run('ROOT');
    const [, helper] = instance.server.requests;
    expect(helper?.tools.map((tool) => isJsonObject(tool['function']) && tool['function']['name'])).not.toContain(
      'scribble',
    );
    expect(acted).toBe(0);
    expect(instance.events).toContainEqual(
      expect.objectContaining({ type: 'tool.finished', name: 'scribble', status: 'refused' }),
    );
  });

  it('[AUTH-8] at depth 0 `agent` is neither offered nor carried out', async () => {
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length === 0
          ? answer({ calls: [{ name: 'agent', args: { task: 'x' } }] })
          : answer({ text: 'alone' }),
      { limits: { max_depth: 0 } },
    );
    const result = await instance.run('ROOT');
    expect(result.helpers).toEqual([]);
    expect(instance.server.requests[0]?.text).not.toContain('"name":"agent"');
    expect(resultsOf(instance.server.requests[1] ?? expect.fail('no request'))[0]).toContain('may not delegate');
  });

  it('[RUN-3] [PAIN-2] an answer cut by the output limit is no success, and its calls are not run', async () => {
    const instance = await createInstance(() =>
      answer({ text: 'half of it', calls: [{ name: 'list', args: {} }], finish: 'length' }),
    );
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'failed', reason: 'output_limit', partial: true, answer: 'half of it' });
    expect(instance.events.some((event) => event.type === 'tool.started')).toBe(false);
  });

  it('[RUN-4] a run that is cancelled keeps what it wrote, and nothing of it is left open', async () => {
    const instance = await createInstance(delegating([{ task: 'look' }], () => stallAfter('as far as I')));
    const handle = await instance.start('ROOT');
    await instance.server.whenRequests(2);
    await instance.clock.whenPending(1);
    await instance.server.until(() => instance.server.openStreams() === 1);
    await instance.clock.advance(600);
    handle.cancel('user');
    handle.cancel('signal');
    const result = await handle.result;
    expect(result).toMatchObject({ state: 'cancelled', reason: 'user' });
    expect(result.helpers).toMatchObject([{ state: 'cancelled', reason: 'parent', partial: true }]);
    expect((await instance.runtime.result(result.helpers[0]?.run_id ?? ''))?.answer).toBe('as far as I');
    await instance.server.whenIdle();
    expect(instance.clock.pending).toBe(0);
  });

  it('[LIM-6] no step oversteps the bound on tool calls: what goes beyond it is refused', async () => {
    const eight = Array.from({ length: 8 }, () => ({ name: 'list', args: {} }));
    const instance = await createInstance(
      delegating([{ task: 'look' }], (request) =>
        resultsOf(request).length === 0 ? answer({ text: 'so far', calls: eight }) : answer({ text: REPORT }),
      ),
      { limits: { helper_tool_calls: 3 } },
    );
    const { helpers } = await instance.run('ROOT');
    expect(helpers).toMatchObject([
      { state: 'interrupted', reason: 'tool_calls', tool_calls: ['list', 'list', 'list'], partial: true },
    ]);
    const refused = instance.events.filter((event) => event.type === 'tool.finished' && event.status === 'refused');
    expect(refused).toHaveLength(5);
    expect(refused[0]).toMatchObject({ output: expect.stringContaining('limit of 3 tool calls is used up') });
    expect(await instance.runtime.replay(helpers[0]?.run_id ?? '')).toMatchObject({ differences: [] });
  });

  it('[LIM-6] a provider that streams for ever is ended by the wall clock', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look' }], () => endless('and on ')),
      { limits: { helper_wall_ms: 30_000 } },
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenRequests(2);
    await instance.clock.advance(30_000);
    const result = await handle.result;
    expect(result.helpers).toMatchObject([{ state: 'interrupted', reason: 'wall' }]);
    expect(instance.server.openStreams()).toBe(0);
  });

  it('[LIM-6] [MOD-6] one that never comes to an end is given up long before it fills the memory', async () => {
    const instance = await createInstance(() => endless('and on and on '.repeat(2_000)));
    const result = await instance.run('go');
    expect(result).toMatchObject({ state: 'failed', reason: 'provider_refused', partial: true });
    expect(result.message).toMatch(/does not stop sending/u);
    expect(result.answer.length).toBeLessThan(2_100_000);
  });

  it('[PAIN-1] a silent provider is given up after the retries, within a bound, and the run can go on', async () => {
    const instance = await createInstance(() => hang(), { limits: { retries: 2 } });
    const handle = await instance.start('go');
    for (let attempt = 1; attempt <= 3; attempt++) {
      await instance.server.whenRequests(attempt);
      await instance.clock.advance(120_000);
      await instance.clock.advance(40_000);
    }
    const result = await handle.result;
    expect(result).toMatchObject({ state: 'interrupted', reason: 'provider', usage: { own: { unknown_calls: 3 } } });
    expect(result.message).toMatch(/sent nothing for 120 s/u);
    expect(instance.server.requests).toHaveLength(3);
  });

  it('[RUN-7] a root that cannot work is refused before anything is created', async () => {
    const instance = await createInstance(() => answer({ text: 'never' }));
    const base = { task: 'go', model: 'mock/m', cwd: instance.folder };
    const codes = [];
    for (const change of [
      { task: ' ' },
      { task: 'x'.repeat(600_000) },
      { cwd: join(instance.folder, 'none') },
      { cwd: join(instance.folder, 'notes.txt') },
      { model: 'nowhere/m' },
      { model: 'mock' },
    ]) {
      const started = await instance.runtime.start({ ...base, ...change });
      codes.push(started.ok ? 'started' : started.error.code);
    }
    expect(codes).toEqual(['no_task', 'task_too_long', 'no_folder', 'no_folder', 'no_model', 'no_model']);
    expect(await instance.runtime.records()).toEqual([]);
    expect(instance.server.requests).toEqual([]);
  });

  it('[RUN-5] the title of a root is one line of 200 characters at most', async () => {
    const instance = await createInstance(() => answer({ text: 'x' }));
    await instance.run('go', { title: `two\nlines ${'x'.repeat(300)}` });
    const [record] = await instance.runtime.records();
    expect(record?.title).toMatch(/^two lines x{190}$/u);
  });

  it('[RUN-7] a key that the server refuses leaves no run behind', async () => {
    const instance = await createInstance(() => status(401, { error: { message: 'no such key' } }));
    const handle = await instance.start('go');
    await expect(handle.result).rejects.toMatchObject({ code: 'refused_key' });
    expect(await instance.runtime.records()).toEqual([]);
  });

  it('[DEL-1] a helper reads in the folder it was given and not above it', async () => {
    const instance = await createInstance(
      delegating([{ task: 'look', cwd: 'inner' }], (request) =>
        resultsOf(request).length === 0
          ? answer({
              calls: [
                { name: 'read', args: { path: '../notes.txt' } },
                { name: 'list', args: {} },
              ],
            })
          : answer({ text: resultsOf(request).join('\n') }),
      ),
    );
    mkdirSync(join(instance.folder, 'inner'));
    writeFileSync(join(instance.folder, 'inner', 'own.txt'), 'x');
    const result = await instance.run('ROOT');
    const whole = await instance.runtime.result(result.helpers[0]?.run_id ?? '');
    expect(whole?.answer).toContain('own.txt');
    expect(whole?.answer).not.toContain('first line');
    expect(readFileSync(join(instance.folder, 'notes.txt'), 'utf8')).toContain('first line');
  });
});
