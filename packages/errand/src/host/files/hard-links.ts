import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { setImmediate } from 'node:timers/promises';

/** Entries looked at before counting is given up, and entries between two breaths. */
const MOST_ENTRIES = 50_000;
const ENTRIES_PER_TURN = 2_000;
/** Milliseconds for which a count is good. */
const COUNT_LASTS = 5_000;
const MOST_ROOTS = 50;
/** Package managers link files in from a store of theirs: there a second name is the ordinary case. */
const PACKAGE_FOLDERS = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\//u;

/** Names inside a root, by file; null when there are too many entries to count. */
type Names = ReadonlyMap<string, number> | null;

/**
 * Whether a file that has several names (hard links) has them all inside the root. A name outside would make it a
 * file of somebody else's that was only linked in. In a tree too large to count the file is given the benefit of the
 * doubt: nobody makes such a link without being able to read the file.
 */
export interface HardLinks {
  allInside(root: string, path: string, stats: Stats): Promise<boolean>;
}

export function createHardLinks(): HardLinks {
  const counts = new Map<string, { readonly at: number; readonly names: Promise<Names> }>();
  return {
    async allInside(root, path, stats) {
      if (stats.nlink <= 1 || PACKAGE_FOLDERS.test(path)) return true;
      let count = counts.get(root);
      if (!count || performance.now() - count.at > COUNT_LASTS) {
        if (counts.size >= MOST_ROOTS) counts.clear();
        count = { at: performance.now(), names: countNames(root) };
        counts.set(root, count);
      }
      const names = await count.names;
      return names === null || (names.get(keyOf(stats)) ?? 0) >= stats.nlink;
    },
  };
}

async function countNames(root: string): Promise<Names> {
  const names = new Map<string, number>();
  const folders = [root];
  let entries = 0;
  let breath = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(folder)) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) countName(names, path);
      entries += 1;
    }
    if (entries > MOST_ENTRIES) return null;
    if (entries - breath < ENTRIES_PER_TURN) continue;
    breath = entries;
    await setImmediate();
  }
  return names;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function countName(names: Map<string, number>, path: string): void {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats && stats.nlink > 1) names.set(keyOf(stats), (names.get(keyOf(stats)) ?? 0) + 1);
  } catch {
    // What cannot be looked at does not count.
  }
}

function keyOf(stats: Stats): string {
  return `${stats.dev}:${stats.ino}`;
}
