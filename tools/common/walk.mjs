import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './root.mjs';

const SKIPPED = new Set(['node_modules', 'dist', '.git', '.dev', 'coverage']);

/**
 * Every file below `folder` (a path relative to the root), as paths relative to the root with `/`, sorted.
 * A folder that does not exist yet holds none.
 */
export function filesBelow(folder, { skip = SKIPPED } = {}) {
  if (!existsSync(join(ROOT, folder))) return [];
  const found = [];
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory() && !skip.has(entry.name)) found.push(...filesBelow(path, { skip }));
    else if (entry.isFile()) found.push(path);
  }
  return found.sort();
}
