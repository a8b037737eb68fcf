import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
/** What an import statement loads: all but `import type` and `export type`, which are gone at run time. */
const STATIC = /(?:^|;\s*)(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)'/gmu;

/** Modules that are loaded before the first line of `entry` runs: files as paths below src, packages by name. */
function loadedBy(entry: string): Set<string> {
  const found = new Set<string>();
  const queue = [join(SRC, entry)];
  for (let path = queue.pop(); path; path = queue.pop()) {
    const name = relative(SRC, path);
    if (found.has(name)) continue;
    found.add(name);
    for (const [, target] of readFileSync(path, 'utf8').matchAll(STATIC)) {
      if (target?.startsWith('.')) queue.push(resolve(dirname(path), target));
      else if (target) found.add(target);
    }
  }
  return found;
}

describe('what errand --version and --help load', () => {
  const loaded = [...loadedBy('cli/main.ts')];

  test('[SUR-1] commander alone of all packages, and nothing of Node that is slow to load', () => {
    const packages = loaded.filter((name) => !name.endsWith('.ts') && !name.startsWith('node:'));
    expect(packages).toEqual(['commander']);
    expect(loaded).not.toContain('node:sqlite');
    expect(loaded).not.toContain('node:http');
    expect(loaded).not.toContain('node:child_process');
  });

  test('[SUR-1] no engine, store, model, tool, host or wiring', () => {
    const rooms = new Set(loaded.filter((name) => name.endsWith('.ts')).map((name) => name.split('/')[0]));
    expect([...rooms].toSorted()).toEqual(['app', 'base', 'cli', 'domain', 'terminal']);
    const app = loaded.filter((name) => name.startsWith('app/')).toSorted();
    expect(app).toEqual([
      'app/duration.ts',
      'app/environment.ts',
      'app/exit-codes.ts',
      'app/options.ts',
      'app/raises.ts',
      'app/retention.ts',
      'app/store-fault.ts',
    ]);
    expect(loaded).not.toContain('terminal/writer.ts');
  });

  test('[SUR-1] the walk sees what there is: the same rules find the heavy parts elsewhere', () => {
    expect(loadedBy('app/service.ts')).toContain('engine/supervisor/runtime.ts');
    expect(loadedBy('terminal/writer.ts')).toContain('log-update');
    expect(loaded).toContain('cli/run.ts');
    expect(loaded.length).toBeGreaterThan(20);
  });
});
