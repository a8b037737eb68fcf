import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ConfigProblem } from '../../src/app/config/config-problem.ts';
import { type Flags, loadSettings } from '../../src/app/config/load-settings.ts';
import type { Settings } from '../../src/app/config/settings.ts';
import type { Result } from '../../src/base/result.ts';

/** A home of a person and a repository, in a folder of their own that is removed after the test. */
export interface Places {
  readonly home: string;
  readonly repository: string;
  readonly userFile: string;
  readonly projectFile: string;
  /** Writes a file with its folders; relative paths start at the folder of all. */
  write(path: string, text: string | Uint8Array): string;
  load(given?: Given): Result<Settings, ConfigProblem>;
  /** Loads what is expected to be fine. */
  settings(given?: Given): Settings;
  /** Loads what is expected to be refused. */
  problem(given?: Given): ConfigProblem;
}

export interface Given {
  readonly environment?: Readonly<Record<string, string>>;
  readonly flags?: Flags;
  /** Below the repository. */
  readonly cwd?: string;
  readonly user?: string;
  readonly project?: string;
}

export function createPlaces(): Places {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'errand-config-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  const repository = join(folder, 'repository');
  const userFile = join(home, 'config.toml');
  const projectFile = join(repository, '.errand', 'config.toml');
  const write = (path: string, text: string | Uint8Array) => {
    const full = join(folder, path.replace(folder, ''));
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  mkdirSync(join(repository, '.git'), { recursive: true });
  const load = (given: Given = {}) => {
    if (given.user !== undefined) write(userFile, given.user);
    if (given.project !== undefined) write(projectFile, given.project);
    const environment = { ERRAND_HOME: home, ...given.environment };
    return loadSettings({ environment, cwd: join(repository, given.cwd ?? ''), flags: given.flags ?? {} });
  };
  return {
    home,
    repository,
    userFile,
    projectFile,
    write,
    load,
    settings(given) {
      const loaded = load(given);
      if (!loaded.ok) throw new Error(loaded.error.message);
      return loaded.value;
    },
    problem(given) {
      const loaded = load(given);
      if (loaded.ok) throw new Error('nothing was refused');
      return loaded.error;
    },
  };
}
