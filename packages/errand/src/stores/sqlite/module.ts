import type { DatabaseSync } from 'node:sqlite';

type SqliteModule = typeof import('node:sqlite');

let loaded: SqliteModule | undefined;

/** Loads node:sqlite at first use: it costs nothing to those who do not store. Node 22 calls it experimental; nobody needs to read that each time. */
export function loadSqlite(): SqliteModule {
  if (loaded) return loaded;
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (!/SQLite is an experimental feature/u.test(String(warning)))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  }) as typeof process.emitWarning;
  try {
    loaded = process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
  return loaded;
}

export type { DatabaseSync };
