import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pathsOf } from '../../src/app/paths.ts';
import { createPlaces } from './places.ts';

const key = 'limits.max_per_turn';

describe('who decides', () => {
  test('[SUR-4] flag, environment, project, user, default: each with its source', () => {
    const places = createPlaces();
    const user = '[limits]\nmax_per_turn = 2';
    const project = '[limits]\nmax_per_turn = 3';
    const environment = { ERRAND_MAX_HELPERS: '4' };
    const flags = { '--max-helpers': '5' };
    expect(places.settings().set.get(key)).toBeUndefined();
    expect(places.settings().limits.max_per_turn).toBe(16);
    expect(places.settings({ user }).set.get(key)).toEqual({
      value: 2,
      source: { from: 'user', name: places.userFile },
    });
    expect(places.settings({ project }).set.get(key)).toEqual({
      value: 3,
      source: { from: 'project', name: places.projectFile },
    });
    expect(places.settings({ environment }).set.get(key)).toEqual({
      value: 4,
      source: { from: 'environment', name: 'ERRAND_MAX_HELPERS' },
    });
    const settings = places.settings({ environment, flags });
    expect(settings.set.get(key)).toEqual({ value: 5, source: { from: 'flag', name: '--max-helpers' } });
    expect(settings.limits.max_per_turn).toBe(5);
  });

  test('[SUR-1] a wrong flag is exit 2 and names the flag; a wrong variable is exit 4 and names the variable', () => {
    const places = createPlaces();
    expect(places.problem({ flags: { '--wall': 'soon' } })).toEqual({
      exit: 2,
      message: '--wall takes a time in seconds or one such as 30s, 5m or 1h (more than 0, up to 168h), not "soon".',
    });
    expect(places.problem({ environment: { ERRAND_WALL: 'soon' } })).toMatchObject({
      exit: 4,
      message: expect.stringContaining('ERRAND_WALL takes a time'),
    });
  });

  test('[SUR-1] an empty variable counts as absent', () => {
    expect(createPlaces().settings({ environment: { ERRAND_WALL: '', OPENAI_API_KEY: '' } }).connections).toHaveLength(
      1,
    );
  });

  test('[SUR-1] --cwd starts at the folder of the process, and its project file applies', () => {
    const places = createPlaces();
    places.write('other/file', '');
    const project = places.write('other/.errand/config.toml', '[limits]\nmax_depth = 1');
    const settings = places.settings({ flags: { '--cwd': '../other' } });
    expect(settings.cwd).toBe(join(places.repository, '..', 'other'));
    expect(settings.files.project).toBe(project);
    expect(settings.limits.max_depth).toBe(1);
  });
});

describe('paths', () => {
  test('[SUR-4] ERRAND_HOME moves everything to one folder', () => {
    expect(pathsOf({ ERRAND_HOME: '/x/y' }, '/cwd')).toEqual({
      config: '/x/y/config.toml',
      store: '/x/y/errand.db',
      artifacts: '/x/y/artifacts',
    });
    expect(pathsOf({ ERRAND_HOME: 'rel' }, '/cwd').store).toBe('/cwd/rel/errand.db');
  });

  test("[SUR-4] else the platform's own places, without a suffix", () => {
    const paths = pathsOf({}, '/cwd');
    expect(paths.config).toMatch(/errand.*config\.toml$/u);
    expect(paths.config).not.toContain('nodejs');
    expect(paths.store).not.toContain('/cwd');
  });
});
