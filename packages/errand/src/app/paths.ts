import { isAbsolute, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import type { Environment } from './environment.ts';

/** Where Errand keeps what it keeps; absolute. */
export interface Paths {
  /** The person's own configuration. */
  readonly config: string;
  /** The journal's database file. */
  readonly store: string;
  readonly artifacts: string;
}

/** `ERRAND_HOME` moves everything to one folder; else the platform's own places. `cwd`: where a relative one starts. */
export function pathsOf(environment: Environment, cwd: string): Paths {
  const home = environment.ERRAND_HOME;
  if (home) {
    const folder = isAbsolute(home) ? home : resolve(cwd, home);
    return placesIn({ config: folder, data: folder });
  }
  return placesIn(envPaths('errand', { suffix: '' }));
}

function placesIn(folders: { readonly config: string; readonly data: string }): Paths {
  return {
    config: join(folders.config, 'config.toml'),
    store: join(folders.data, 'errand.db'),
    artifacts: join(folders.data, 'artifacts'),
  };
}
