import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createModels } from '../../src/models/index.ts';
import { CONNECTION_KINDS, type Connection, type Model } from '../../src/ports/model.ts';
import {
  answer,
  createScriptedModel,
  createScriptedServer,
  createTestClock,
  replyWith,
} from '../../src/testing/index.ts';
import { answerOf, KEY, serve } from './calls.ts';

const connection = (name: string, more: Partial<Connection> = {}): Connection => ({
  name,
  kind: 'openai-compatible',
  baseUrl: 'http://127.0.0.1:9/v1',
  apiKey: KEY,
  headers: {},
  callTimeoutMs: 600_000,
  ...more,
});

async function refusal(
  name: string,
  connections: readonly Connection[],
  offline: (name: string) => Model | null = () => null,
): Promise<string> {
  const connected = await createModels(connections, offline, createTestClock()).connect(name);
  if (connected.ok) throw new Error(`${name} was connected`);
  return connected.error;
}

describe('connecting', () => {
  test('[MOD-1] a model is a (connection, id) pair, split at the first slash', async () => {
    const connected = await createModels(
      [connection('router'), connection('other')],
      () => null,
      createTestClock(),
    ).connect('router/vendor/model:free');
    expect(connected).toMatchObject({ ok: true, value: { name: 'router/vendor/model:free' } });
  });

  test('[MOD-1] several connections serve the same model id, each with its own key', async () => {
    const servers = await Promise.all([1, 2].map(() => createScriptedServer(() => answer({ text: 'hi' }))));
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.close()))));
    const models = createModels(
      servers.map((server, index) => connection(`c${index}`, { baseUrl: server.url, apiKey: `${KEY}-${index}` })),
      () => null,
      createTestClock(),
    );
    for (const name of ['c0/m', 'c1/m']) {
      const connected = await models.connect(name);
      if (connected.ok) await answerOf(connected.value);
    }
    expect(servers.map((server) => server.requests.map((request) => request.headers.authorization))).toStrictEqual([
      [`Bearer ${KEY}-0`],
      [`Bearer ${KEY}-1`],
    ]);
  });

  test('[MOD-4] an unknown connection is refused with the known ones and how to add it', async () => {
    const error = await refusal('nope/m', [connection('a'), connection('b')]);
    expect(error).toContain('"nope" (configured: a, b)');
    expect(error).toContain('[connections.nope]');
    for (const kind of CONNECTION_KINDS) if (kind !== 'offline') expect(error).toContain(kind);
    expect(await refusal('nope/m', [])).toContain('configured: none');
  });

  test.each(['a', 'a/'])('[MOD-4] %s names no model', async (name) => {
    expect(await refusal(name, [connection('a')])).toContain('write a/<model id>');
  });

  test('[MOD-4] a compatible connection without an address is refused', async () => {
    expect(await refusal('a/m', [connection('a', { baseUrl: null })])).toContain('has no base URL');
  });

  test('[MOD-8] an offline connection is served by the model given for it', async () => {
    const model = createScriptedModel([replyWith({ text: 'quoted' })], 'offline/search');
    const offline = connection('offline', { kind: 'offline', baseUrl: null, apiKey: null });
    const models = createModels([offline], (name) => (name === model.name ? model : null), createTestClock());
    expect(await models.connect('offline/search')).toStrictEqual({ ok: true, value: model });
    expect(await refusal('offline/other', [offline])).toContain('offline/other');
  });

  test('[MOD-1] a key or a header that HTTP cannot carry is refused before anything is sent', async () => {
    for (const apiKey of ['k\n', 'k€y', 'k\u0000']) {
      const error = await refusal('a/m', [connection('a', { apiKey })]);
      expect(error).toMatch(/The key of connection "a" holds a line break/u);
      expect(error).not.toContain(apiKey);
    }
    expect(await refusal('a/m', [connection('a', { headers: { 'x-team': 'one\ntwo' } })])).toContain('"x-team"');
  });

  test('[AUTH-9] the key is the one at the time of connecting', async () => {
    const server = await createScriptedServer(() => answer({ text: 'hi' }));
    onTestFinished(() => server.close());
    const changing = { ...connection('a', { baseUrl: server.url }), headers: { 'x-team': 'one' } };
    const connected = await createModels([changing], () => null, createTestClock()).connect('a/m');
    Object.assign(changing, { apiKey: 'sk-FAKE-later' });
    changing.headers['x-team'] = 'two';
    if (connected.ok) await answerOf(connected.value);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-team': 'one' });
  });

  test('[MOD-1] runs with the same connection and id share a model', async () => {
    const models = createModels([connection('a')], () => null, createTestClock());
    const [one, same, other] = await Promise.all(['a/m', 'a/m', 'a/n'].map((name) => models.connect(name)));
    expect(same).toStrictEqual(one);
    expect(same?.ok && one?.ok && same.value === one.value).toBe(true);
    expect(other?.ok && one?.ok && other.value === one.value).toBe(false);
  });

  test('[MOD-1] a base URL may end in a slash', async () => {
    const { server } = await serve([answer({ text: 'hi' })]);
    const connected = await createModels(
      [connection('a', { baseUrl: `${server.url}/` })],
      () => null,
      createTestClock(),
    ).connect('a/m');
    if (connected.ok) await answerOf(connected.value);
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });
});

test('[MOD-1] provider packages are loaded at the first call, and only the one in use', () => {
  const models = fileURLToPath(new URL('../../src/models/index.ts', import.meta.url));
  const script = `
    const { registerHooks } = await import('node:module');
    const loaded = new Set();
    registerHooks({ load(url, context, next) { const found = /@ai-sdk\\/([^/]+)\\/dist/.exec(url); if (found) loaded.add(found[1]); return next(url, context); } });
    const { createModels } = await import(${JSON.stringify(models)});
    const connection = { name: 'a', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1', apiKey: null, headers: {}, callTimeoutMs: 1000 };
    const { value } = await createModels([connection], () => null, { now: () => 0, monotonic: () => 0, timer: () => ({ cancel() {} }) }).connect('a/m');
    const before = [...loaded];
    await value.call({ system: '', messages: [{ role: 'user', text: 'x' }], tools: [], effort: null }, { text() {}, alive() {} }, new AbortController().signal);
    console.log(JSON.stringify({ before, after: [...loaded].sort() }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout, stderr).not.toBe('');
  expect(JSON.parse(stdout)).toStrictEqual({ before: [], after: ['openai-compatible', 'provider', 'provider-utils'] });
});
