import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPlaces } from './places.ts';

describe('configuration files', () => {
  test('[SUR-4] broken TOML is refused with file, line and column, in one sentence, exit 4', () => {
    const places = createPlaces();
    const problem = places.problem({ user: 'model = "offline/extract"\n[limits\nmax_depth = 3\n' });
    expect(problem).toMatchObject({ exit: 4, file: places.userFile, line: 2, column: 8 });
    expect(problem.message).toBe(
      `${places.userFile}:2:8: the configuration is not valid TOML: illegal character in key.`,
    );
  });

  test('[SUR-4] a project file is refused the same way', () => {
    const places = createPlaces();
    const problem = places.problem({ project: 'model = ' });
    expect(problem).toMatchObject({ exit: 4, file: places.projectFile, line: 1 });
  });

  test.each([
    ['modle = "a/b"', 'there is no setting "modle"', 1],
    ['\n[limits]\n  max_dept = 3', 'there is no setting "limits.max_dept"; accepted here: max_per_turn,', 3],
    ['limits.max_dept = 3', 'there is no setting "limits.max_dept"', 1],
    [
      '[connections.x]\nbase_url = "http://127.0.0.1:1/v1"\nurl = 1',
      'connections.x.url is unknown; accepted: preset, kind, base_url,',
      3,
    ],
    ['[roles.scout]\nmodel = "a/b"', '"roles" (models per role) is not available in this version', 1],
    ['sandbox = "off"', '"sandbox" (the sandbox) is not available', 1],
    ['"limits.max_depth" = 3', 'there is no setting "limits.max_depth"', undefined],
  ])('[SUR-4] nothing is parsed and forgotten: %j', (text, message, line) => {
    const places = createPlaces();
    const problem = places.problem({ user: text });
    expect(problem.exit).toBe(4);
    expect(problem.message).toContain(message);
    expect(problem.line).toBe(line);
    expect(problem.message).not.toContain('\n');
  });

  test.each([
    ['model = 3', 'model takes <connection>/<id>, not 3.'],
    ['model = "gpt"', 'model takes <connection>/<id>, not "gpt".'],
    ['effort = "very much"', 'effort takes one word'],
    ['limits = 3', '"limits" must be a table.'],
    ['connections = "x"', '"connections" must be a table.'],
    ['connections.x = "y"', '[connections.x] must be a table.'],
    ['trusted_projects = "x"', 'trusted_projects takes a list of absolute folders.'],
    ['trusted_projects = ["relative"]', 'trusted_projects takes a list of absolute folders.'],
    ['[limits]\nmax_depth = 9', 'limits.max_depth takes a whole number from 0 to 8, not 9.'],
    ['[limits]\nmax_depth = "deep"', 'limits.max_depth takes a whole number from 0 to 8, not "deep".'],
    ['[limits]\nroot_wall = 2020-01-01', 'limits.root_wall takes a time in seconds or one such as 30s, 5m or 1h'],
    ['[limits]\nroot_wall = 0', 'limits.root_wall takes a time'],
    ['retention = 3', '"retention" must be a table.'],
    ['[retention]\ndays = 0', 'retention.days takes a whole number from 1 to 36500, not 0.'],
    ['[retention]\nruns = "all"', 'retention.runs takes a whole number from 1 to 10000000, not "all".'],
    ['[retention]\nhours = 3', 'there is no setting "retention.hours"; accepted here: days, hidden_days, runs.'],
    ...['999', '10_000_001', '8_000.5', '"32k"', 'true'].map((window) => [
      `[connections.x]\npreset = "ollama"\ncontext_window = ${window}`,
      'connections.x.context_window must be a whole number of tokens from 1000 to 10000000.',
    ]),
  ])('[SUR-4] wrong values are refused by name: %j', (text, message) => {
    const problem = createPlaces().problem({ user: text });
    expect(problem.exit).toBe(4);
    expect(problem.message).toContain(message);
  });

  test('[SUR-4] a folder in its place, bad bytes and a file that may not be read are said plainly', () => {
    const folder = createPlaces();
    mkdirSync(folder.userFile, { recursive: true });
    expect(folder.problem().message).toBe(`${folder.userFile}: the configuration cannot be read: it is a folder.`);

    const bytes = createPlaces();
    bytes.write(bytes.userFile, Buffer.from([0x61, 0x0a, 0x62, 0xff, 0xfe]));
    expect(bytes.problem()).toMatchObject({ exit: 4, line: 2, column: 2 });

    const secret = createPlaces();
    secret.write(secret.userFile, '');
    chmodSync(secret.userFile, 0);
    // The superuser may read everything.
    if (process.getuid?.() === 0) expect(secret.load().ok).toBe(true);
    else expect(secret.problem().message).toContain('permission denied');
  });

  test('[SUR-4] a device and a huge file are refused, not read', () => {
    const device = createPlaces();
    mkdirSync(join(device.repository, '.errand'));
    symlinkSync('/dev/zero', device.projectFile);
    expect(device.problem()).toMatchObject({
      exit: 4,
      message: expect.stringContaining('the configuration is no file'),
    });
    const huge = createPlaces();
    expect(huge.problem({ user: '#'.repeat(1_000_001) }).message).toContain('larger than 1000000 bytes');
  });

  test('[SUR-4] a byte order mark and Windows line ends are no mistake', () => {
    const settings = createPlaces().settings({
      user: '\ufeffmodel = "offline/extract"\r\n[limits]\r\nmax_depth = 2\r\n',
    });
    expect(settings.limits.max_depth).toBe(2);
  });

  test('[SUR-4] no files at all is fine', () => {
    const places = createPlaces();
    expect(places.settings().files).toEqual({ user: { path: places.userFile, found: false }, project: null });
  });
});

describe('which project file applies', () => {
  test('[SUR-4] the nearest at or above the folder, up to the top of the repository', () => {
    const places = createPlaces();
    const inner = places.write(join(places.repository, 'a', '.errand', 'config.toml'), '');
    places.write(places.projectFile, '');
    places.write(join(places.repository, 'a', 'b', 'c', 'file'), '');
    places.write(join(places.repository, 'd', 'file'), '');
    expect(places.settings({ cwd: 'a/b/c' }).files.project).toBe(inner);
    expect(places.settings({ cwd: 'd' }).files.project).toBe(places.projectFile);
  });

  test('[SUR-4] none above the repository', () => {
    const places = createPlaces();
    places.write('.errand/config.toml', 'broken = ');
    expect(places.settings().files.project).toBeNull();
  });

  test('[SUR-4] outside of a repository only the folder itself', () => {
    const places = createPlaces();
    places.write('.errand/config.toml', 'broken = ');
    places.write('plain/inner/file', '');
    const own = places.write('plain/inner/.errand/config.toml', '');
    expect(places.settings({ cwd: '../plain/inner' }).files.project).toBe(own);
    places.write('plain/other/file', '');
    expect(places.settings({ cwd: '../plain/other' }).files.project).toBeNull();
  });

  test("[SUR-4] the person's own file is not read a second time as that of a project", () => {
    const places = createPlaces();
    places.write(places.userFile, `trusted_projects = ["/somewhere"]`);
    mkdirSync(join(places.repository, '.errand'));
    symlinkSync(places.userFile, places.projectFile);
    expect(places.settings().files.project).toBeNull();
  });
});
