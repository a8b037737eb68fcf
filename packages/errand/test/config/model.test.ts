import { describe, expect, test } from 'vitest';
import { createPlaces, type Given } from './places.ts';

const choice = (given: Given) => createPlaces().settings(given).model;
const ollama = '[connections.local]\npreset = "ollama"\n';

describe('which model answers', () => {
  test('[MOD-8] offline where no connection is configured', () => {
    expect(choice({})).toEqual({
      ok: true,
      value: { name: 'offline/extract', asked: null, source: { from: 'default' } },
    });
  });

  test('[MOD-1] flag, then ERRAND_MODEL, then OPENAI_MODEL, then project, then user', () => {
    const user = `model = "local/user"\n${ollama}`;
    const project = 'model = "local/project"';
    const openai = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'org/m' };
    const name = (given: Given) => {
      const chosen = choice(given);
      return chosen.ok ? [chosen.value.name, chosen.value.source.from] : chosen.error.message;
    };
    expect(name({ user })).toEqual(['local/user', 'user']);
    expect(name({ user, project })).toEqual(['local/project', 'project']);
    expect(name({ user, project, environment: openai })).toEqual(['openai/org/m', 'environment']);
    const both = { ...openai, ERRAND_MODEL: 'local/env' };
    expect(name({ user, project, environment: both })).toEqual(['local/env', 'environment']);
    expect(name({ user, project, environment: both, flags: { '--model': 'local/flag' } })).toEqual([
      'local/flag',
      'flag',
    ]);
  });

  test('[MOD-1] a connection without a chosen model is an error that names the connections and the flag', () => {
    const chosen = choice({ user: ollama, environment: { GEMINI_API_KEY: 'k' } });
    expect(chosen.ok).toBe(false);
    if (chosen.ok) return;
    expect(chosen.error.exit).toBe(4);
    expect(chosen.error.message).toContain('connections: google, local');
    expect(chosen.error.message).toContain('--model <connection>/<id>');
    expect(chosen.error.message).toContain('--model offline/extract');
  });

  test('[MOD-1] two variables that name a model each decide nothing', () => {
    const environment = { OPENAI_API_KEY: 'k', OPENAI_MODEL: 'a', ANTHROPIC_API_KEY: 'k', ANTHROPIC_MODEL: 'b' };
    const chosen = choice({ environment });
    expect(chosen).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('OPENAI_MODEL and ANTHROPIC_MODEL') },
    });
    expect(choice({ environment, user: 'model = "openai/c"' })).toMatchObject({
      ok: true,
      value: { name: 'openai/c' },
    });
  });

  test('[MOD-1] a variable for a connection that is not there does not apply', () => {
    expect(choice({ environment: { OPENAI_MODEL: 'a' } })).toMatchObject({ value: { name: 'offline/extract' } });
  });

  test.each<[Given, string]>([
    [{ flags: { '--model': 'nowhere/x' } }, 'names no connection that is configured; there are: offline'],
    [{ flags: { '--model': 'offline/gpt' } }, 'the connection "offline" has offline/extract only'],
    [{ user: 'model = "nowhere/x"' }, 'names no connection'],
    [{ flags: { '--model': 'anthropic/x' } }, 'no connection "anthropic" is configured; set ANTHROPIC_API_KEY'],
    [{ flags: { '--model': 'openai/x' } }, 'set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own.'],
    [{ flags: { '--model': 'google/x' } }, 'set GEMINI_API_KEY.'],
    [{ flags: { '--model': 'deepseek/x' } }, 'set DEEPSEEK_API_KEY.'],
    [{ flags: { '--model': 'openrouter/x/y' } }, 'set OPENROUTER_API_KEY.'],
    [{ flags: { '--model': 'ollama/x' } }, 'add [connections.ollama] with preset = "ollama" to the configuration.'],
    [{ flags: { '--model': 'constructor/x' } }, 'names no connection'],
    [{ user: '[connections.d]\npreset = "deepseek"', flags: { '--model': 'd/x' } }, 'has no key: set DEEPSEEK_API_KEY'],
    [
      { user: '[connections.d]\nbase_url = "https://x.example"\napi_key_env = "KEY"\n', flags: { '--model': 'd/x' } },
      'has no key: set KEY',
    ],
  ])('[MOD-1] a model that cannot be had is exit 4: %j', (given, message) => {
    const chosen = choice(given);
    expect(chosen).toMatchObject({ ok: false, error: { exit: 4, message: expect.stringContaining(message) } });
  });

  test('[MOD-1] a model id may hold slashes', () => {
    const given = { user: ollama, flags: { '--model': 'local/org/model:7b' } };
    expect(choice(given)).toMatchObject({
      ok: true,
      value: { name: 'local/org/model:7b', asked: 'local/org/model:7b' },
    });
  });

  test('[SUR-1] a model that is no <connection>/<id> is refused as a flag', () => {
    expect(createPlaces().problem({ flags: { '--model': 'gpt' } })).toEqual({
      exit: 2,
      message: '--model takes <connection>/<id>, not "gpt".',
    });
  });
});
