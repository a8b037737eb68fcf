import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configStatus } from '../../src/app/config/config-status.ts';
import { isLoopback } from '../../src/app/config/connections.ts';
import { createPlaces, type Given } from './places.ts';

const connection = (name: string, given: Given) =>
  createPlaces()
    .settings(given)
    .connections.find((found) => found.name === name);

describe('connections from the environment', () => {
  test('[MOD-8] offline is always there, and alone where nothing is configured', () => {
    expect(
      createPlaces()
        .settings()
        .connections.map(({ name }) => name),
    ).toEqual(['offline']);
  });

  test('[MOD-1] OPENAI_API_KEY alone is OpenAI itself', () => {
    expect(connection('openai', { environment: { OPENAI_API_KEY: 'k' } })).toEqual({
      name: 'openai',
      kind: 'openai',
      baseUrl: null,
      apiKey: 'k',
      headers: {},
      callTimeoutMs: 600_000,
    });
  });

  test('[CTX-8] context_window says how much its models take; left out, nothing is assumed', () => {
    const mine = '[connections.mine]\npreset = "ollama"\n';
    expect(connection('mine', { user: mine })).not.toHaveProperty('contextWindow');
    for (const window of [1_000, 32_768, 10_000_000]) {
      const user = `${mine}context_window = ${window}`;
      expect(connection('mine', { user })).toMatchObject({ contextWindow: window });
      expect(configStatus(createPlaces().settings({ user })).connections).toContainEqual(
        expect.objectContaining({ name: 'mine', context_window: window }),
      );
    }
  });

  test('[MOD-1] a base URL makes it chat completions, with or without a key', () => {
    const environment = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1/' };
    const local = { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1' };
    expect(connection('openai', { environment })).toMatchObject({ ...local, apiKey: null });
    expect(connection('openai', { environment: { ...environment, OPENAI_API_KEY: 'k' } })).toMatchObject({
      ...local,
      apiKey: 'k',
    });
  });

  test('[MOD-1] Anthropic, Google, and the presets whose key is there', () => {
    const { connections } = createPlaces().settings({
      environment: {
        ANTHROPIC_API_KEY: 'a',
        ANTHROPIC_BASE_URL: 'https://gateway.example',
        GEMINI_API_KEY: 'g',
        DEEPSEEK_API_KEY: 'd',
        OPENROUTER_API_KEY: 'o',
      },
    });
    expect(connections.map(({ name, kind, baseUrl, apiKey }) => [name, kind, baseUrl, apiKey])).toEqual([
      ['offline', 'offline', null, null],
      ['anthropic', 'anthropic', 'https://gateway.example', 'a'],
      ['google', 'google', null, 'g'],
      ['deepseek', 'openai-compatible', 'https://api.deepseek.com/v1', 'd'],
      ['openrouter', 'openai-compatible', 'https://openrouter.ai/api/v1', 'o'],
    ]);
  });

  test('[MOD-1] a base URL that is none is refused', () => {
    const problem = createPlaces().problem({ environment: { OPENAI_BASE_URL: 'localhost:80' } });
    expect(problem).toMatchObject({ exit: 4, message: expect.stringContaining('must begin with http://') });
  });
});

describe('connections from files', () => {
  test.each([
    ['ollama', 'http://127.0.0.1:11434/v1'],
    ['lmstudio', 'http://127.0.0.1:1234/v1'],
    ['vllm', 'http://127.0.0.1:8000/v1'],
    ['deepseek', 'https://api.deepseek.com/v1'],
    ['openrouter', 'https://openrouter.ai/api/v1'],
  ])('[MOD-1] preset %s', (preset, baseUrl) => {
    expect(connection('mine', { user: `[connections.mine]\npreset = "${preset}"` })).toMatchObject({
      kind: 'openai-compatible',
      baseUrl,
    });
  });

  test('[MOD-1] key from a variable, headers, and the configured time-out', () => {
    const user = `
[limits]
call_timeout = 60
[connections.mine]
base_url = "https://gateway.example/v1/"
api_key_env = "MINE"
headers = { "X-Team" = "errand" }`;
    expect(connection('mine', { user, environment: { MINE: 'secret' } })).toEqual({
      name: 'mine',
      kind: 'openai-compatible',
      baseUrl: 'https://gateway.example/v1',
      apiKey: 'secret',
      headers: { 'X-Team': 'errand' },
      callTimeoutMs: 60_000,
    });
  });

  test("[MOD-1] a vendor's kind takes the vendor's key, but never to another address", () => {
    const environment = { ANTHROPIC_API_KEY: 'a' };
    expect(connection('claude', { user: '[connections.claude]\nkind = "anthropic"', environment })?.apiKey).toBe('a');
    const elsewhere = '[connections.claude]\nkind = "anthropic"\nbase_url = "https://elsewhere.example"';
    expect(connection('claude', { user: elsewhere, environment })?.apiKey).toBeNull();
  });

  test("[MOD-1] the person's file wins over the environment, and the status says so", () => {
    const settings = createPlaces().settings({
      user: '[connections.openai]\nbase_url = "https://gateway.example/v1"\napi_key_env = "OPENAI_API_KEY"',
      environment: { OPENAI_API_KEY: 'k' },
    });
    expect(settings.connections[1]).toMatchObject({
      name: 'openai',
      baseUrl: 'https://gateway.example/v1',
      apiKey: 'k',
    });
    expect(settings.shadowed).toEqual(['openai']);
  });

  test.each([
    ['[connections.offline]\npreset = "ollama"', 'the connection "offline" is built in'],
    ['[connections."a/b"]\npreset = "ollama"', '"a/b" is no name for a connection'],
    ['[connections.x]\nheaders = {}', 'connections.x needs a preset, a kind or a base_url'],
    ['[connections.x]\nkind = "openai-compatible"', 'connections.x needs a base_url'],
    [
      '[connections.x]\nkind = "offline"',
      'connections.x.kind takes one of openai-compatible, openai, anthropic, google',
    ],
    ['[connections.x]\npreset = "olama"', 'connections.x.preset takes one of openai,'],
    ['[connections.x]\npreset = "ollama"\nkind = "google"', 'preset "ollama" is of kind openai-compatible, not google'],
    ['[connections.x]\nbase_url = "ftp://x"', 'connections.x.base_url must begin with http://'],
    ['[connections.x]\nbase_url = "http://u:p@x"', 'connections.x.base_url must hold no user name'],
    ['[connections.x]\nbase_url = 3', 'connections.x.base_url must be a text'],
    ['[connections.x]\npreset = "ollama"\napi_key = "a"\napi_key_env = "B"', 'both api_key and api_key_env'],
    ['[connections.x]\npreset = "ollama"\napi_key_env = "sk-123"', 'must be the name of an environment variable'],
    ['[connections.x]\npreset = "ollama"\napi_key = "a\\nb"', 'must be printable ASCII'],
    ['[connections.x]\npreset = "ollama"\nheaders = { "a b" = "c" }', '"a b", which is no header name'],
    ['[connections.x]\npreset = "ollama"\nheaders = { a = "b\\r\\nc" }', 'must give "a" one line'],
  ])('[MOD-1] refused by name: %j', (user, message) => {
    const problem = createPlaces().problem({ user });
    expect(problem.exit).toBe(4);
    expect(problem.message).toContain(message);
  });

  test('[AUTH-9] the status tells of a key only whether it is set', () => {
    const settings = createPlaces().settings({
      user: '[connections.a]\npreset = "deepseek"\n[connections.b]\npreset = "openrouter"\n[connections.c]\npreset = "ollama"\napi_key = "in-the-file"',
      environment: { DEEPSEEK_API_KEY: 'very-secret', OPENAI_API_KEY: 'also-secret' },
    });
    const status = configStatus(settings);
    expect(status.connections.map(({ name, key }) => [name, key])).toEqual([
      ['offline', 'not needed'],
      ['openai', 'set'],
      ['deepseek', 'set'],
      ['a', 'set'],
      ['b', 'not set'],
      ['c', 'set'],
    ]);
    expect(JSON.stringify(status)).not.toMatch(/very-secret|also-secret|in-the-file/u);
  });
});

describe('loopback', () => {
  test.each([
    'http://127.0.0.1:1/v1',
    'http://localhost/v1',
    'http://[::1]:8000',
    'http://127.1',
    'https://127.255.0.3',
  ])('[MOD-1] %s is this machine', (url) => expect(isLoopback(url)).toBe(true));
  test.each([
    'http://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://[::]',
    'nothing',
    'http://127.0.0.1@example.com/',
  ])('[MOD-1] %s is another', (url) => expect(isLoopback(url)).toBe(false));

  test('[MOD-1] no name outside of this machine passes for it', () => {
    fc.assert(
      fc.property(fc.webUrl(), (url) => {
        expect(isLoopback(url)).toBe(false);
      }),
    );
  });
});
