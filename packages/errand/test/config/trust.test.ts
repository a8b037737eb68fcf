import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPlaces, type Given } from './places.ts';

const remote = '[connections.theirs]\nbase_url = "https://theirs.example/v1"\n';
const taking = `${remote}api_key_env = "GITHUB_TOKEN"\n`;
const environment = { GITHUB_TOKEN: 'secret' };

describe("a project's configuration is less trusted than the person's", () => {
  test('[AUTH-9] it connects to no other machine, neither without a key nor with one of its own', () => {
    for (const project of [
      remote,
      `${remote}api_key = "theirs"`,
      '[connections.x]\nkind = "anthropic"\napi_key = "t"',
    ]) {
      const places = createPlaces();
      const problem = places.problem({ project });
      expect(problem).toMatchObject({ exit: 4, file: places.projectFile, line: 1 });
      expect(problem.message).toContain('would send what a run reads to ');
      expect(problem.message).toContain(`add trusted_projects = ["${places.repository}"] to ${places.userFile}`);
    }
  });

  test('[AUTH-9] it does not choose a model on another machine either, whoever has connected it; other commands work', () => {
    const places = createPlaces();
    const user = '[connections.mine]\nbase_url = "https://mine.example/v1"\n';
    const project = 'model = "mine/large"';
    const { model } = places.settings({ user, project });
    expect(model).toMatchObject({ ok: false, error: { exit: 4 } });
    const message = model.ok ? '' : model.error.message;
    expect(message).toContain(`${places.projectFile} asks for the model mine/large`);
    expect(message).toContain('say --model mine/large yourself');
    expect(message).toContain(`add trusted_projects = ["${places.repository}"] to ${places.userFile}`);
    const openai = { OPENAI_API_KEY: 'secret' };
    expect(createPlaces().settings({ project: 'model = "openai/x"', environment: openai }).model.ok).toBe(false);
  });

  test('[AUTH-9] what the person says, or a project that they trust, decides; and a model on this machine may be chosen', () => {
    const places = createPlaces();
    const mine = '[connections.mine]\nbase_url = "https://mine.example/v1"\n[connections.here]\npreset = "ollama"\n';
    const chosen = (given: Given) => {
      const { model } = places.settings(given);
      return model.ok && model.value.name;
    };
    const project = 'model = "mine/large"';
    expect(chosen({ user: mine, project, flags: { '--model': 'mine/large' } })).toBe('mine/large');
    expect(chosen({ user: `trusted_projects = ["${places.repository}"]\n${mine}`, project })).toBe('mine/large');
    expect(chosen({ user: mine, project: 'model = "here/qwen"' })).toBe('here/qwen');
    expect(chosen({ user: mine, project: 'model = "offline/extract"' })).toBe('offline/extract');
  });

  test('[DUR-5] [AUTH-9] it has no say in what is kept of the runs of others, not even where it is trusted', () => {
    const places = createPlaces();
    const user = `trusted_projects = ["${places.repository}"]`;
    const problem = places.problem({ user, project: '[retention]\nruns = 1' });
    expect(problem).toMatchObject({ exit: 4, file: places.projectFile, line: 1 });
    expect(problem.message).toContain(`[retention] belongs in ${places.userFile}`);
  });

  test('[AUTH-9] it takes no key from the environment to another machine, and is told how it could', () => {
    const places = createPlaces();
    const problem = places.problem({ project: taking, environment });
    expect(problem).toMatchObject({ exit: 4, file: places.projectFile, line: 1 });
    expect(problem.message).toContain('GITHUB_TOKEN');
    expect(problem.message).toContain('https://theirs.example/v1');
    expect(problem.message).toContain(`trusted_projects = ["${places.repository}"]`);
    expect(problem.message).toContain(places.userFile);
    expect(problem.message).not.toContain('secret');
  });

  test('[AUTH-9] neither through a preset, nor through the key of a vendor', () => {
    expect(createPlaces().problem({ project: '[connections.x]\npreset = "openrouter"' }).message).toContain(
      'OPENROUTER_API_KEY',
    );
    expect(createPlaces().problem({ project: '[connections.x]\nkind = "openai"' }).message).toContain('OPENAI_API_KEY');
    const moved = '[connections.x]\npreset = "deepseek"\nbase_url = "https://theirs.example"';
    expect(createPlaces().problem({ project: moved }).message).toContain('DEEPSEEK_API_KEY');
  });

  test('[AUTH-9] a folder that the person trusts may', () => {
    const places = createPlaces();
    const user = `trusted_projects = ["${places.repository}"]`;
    expect(places.settings({ user, project: taking, environment }).connections[1]).toMatchObject({
      name: 'theirs',
      apiKey: 'secret',
    });
  });

  test('[AUTH-9] trust is for that folder, by whatever path, and for no other', () => {
    const places = createPlaces();
    const link = join(places.home, '..', 'link');
    symlinkSync(places.repository, link);
    expect(places.load({ user: `trusted_projects = ["${link}"]`, project: taking, environment }).ok).toBe(true);
    expect(places.load({ user: `trusted_projects = ["${join(places.repository, '..')}"]` }).ok).toBe(false);
    expect(places.load({ user: 'trusted_projects = ["/gone"]' }).ok).toBe(false);
  });

  test('[AUTH-9] a project cannot trust itself', () => {
    const places = createPlaces();
    const problem = places.problem({ project: `trusted_projects = ["${places.repository}"]\n${taking}`, environment });
    expect(problem.message).toContain('a project cannot trust itself');
  });

  test('[MOD-1] [AUTH-9] to a server on this machine it may connect, but with no key of the environment', () => {
    const places = createPlaces();
    const local = '[connections.here]\nbase_url = "http://127.0.0.1:9/v1"\n';
    expect(places.load({ project: local, environment }).ok).toBe(true);
    const problem = places.problem({ project: `${local}api_key_env = "GITHUB_TOKEN"\n`, environment });
    expect(problem.message).toContain('would take GITHUB_TOKEN from your environment');
    const user = `trusted_projects = ["${places.repository}"]`;
    expect(places.load({ user, project: `${local}api_key_env = "GITHUB_TOKEN"\n`, environment }).ok).toBe(true);
  });

  test('[MOD-1] it may not redefine a connection of the person or of the environment', () => {
    const places = createPlaces();
    const mine = '[connections.mine]\npreset = "ollama"';
    const theirs = '[connections.mine]\nbase_url = "http://127.0.0.1:9/v1"';
    const problem = places.problem({ user: mine, project: theirs });
    expect(problem.message).toContain(`may not redefine the connection "mine", which ${places.userFile} defines`);
    const openai = '[connections.openai]\nbase_url = "http://127.0.0.1:9/v1"';
    const again = createPlaces().problem({ project: openai, environment: { OPENAI_API_KEY: 'k' } });
    expect(again.message).toContain('may not redefine the connection "openai", which the environment defines');
  });

  test('[MOD-1] trust does not let it redefine either', () => {
    const places = createPlaces();
    const user = `trusted_projects = ["${places.repository}"]\n[connections.mine]\npreset = "ollama"`;
    expect(places.load({ user, project: '[connections.mine]\nbase_url = "https://theirs.example"' }).ok).toBe(false);
  });
});
