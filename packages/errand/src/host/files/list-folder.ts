import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { type Result, succeed } from '../../base/result.ts';
import type { Entry, FileFailure, Listing } from '../../ports/files.ts';
import { explain, failure, shown, stopped } from './failure.ts';
import type { Ground } from './ground.ts';
import type { Pinned } from './pinned.ts';

/** Size of a folder (as a file) up to which it is read at once; more than a thousand entries fit. */
const SMALL_FOLDER = 64 * 1024;
const ENTRIES_PER_TURN = 1_024;

/** What lies in a folder, by name; what a link leads to is not looked at. */
export async function listFolder(
  ground: Ground,
  { path, limit }: { readonly path: string; readonly limit: number },
  signal: AbortSignal,
): Promise<Result<Listing, FileFailure>> {
  if (signal.aborted) return stopped();
  const pinned = ground.pin(ground.root, path);
  if (!pinned.ok) return pinned;
  const folder = pinned.value;
  try {
    if (!folder.stats.isDirectory()) return failure('not_a_folder', `${shown(path)} is not a folder.`);
    const found =
      folder.stats.size <= SMALL_FOLDER ? listAtOnce(folder, limit) : await listInTurns(folder, limit, signal);
    if (!found) return stopped();
    if (!folder.holds()) return failure('outside', `${shown(path)} was exchanged while it was listed.`);
    const prefix = folder.path === '.' ? '' : `${folder.path}/`;
    const entries = found.first.map((entry) => new FolderEntry(entry, prefix, folder.real));
    return succeed({ path: folder.path, entries, more: found.all - entries.length });
  } catch (error) {
    return explain(ground.root, path, error);
  } finally {
    folder.close();
  }
}

/** The first entries by name, and how many there are in all. */
interface Found {
  readonly first: readonly Dirent[];
  readonly all: number;
}

function listAtOnce(folder: Pinned, limit: number): Found {
  const entries = readdirSync(folder.folder, { withFileTypes: true });
  return { first: entries.sort(byName).slice(0, limit), all: entries.length };
}

/** However many there are, no more than twice the limit is kept. */
async function listInTurns(folder: Pinned, limit: number, signal: AbortSignal): Promise<Found | null> {
  let first: Dirent[] = [];
  let all = 0;
  for await (const entry of await opendir(folder.folder, { bufferSize: ENTRIES_PER_TURN })) {
    if (signal.aborted) return null;
    first.push(entry);
    all += 1;
    if (first.length >= limit * 2 + ENTRIES_PER_TURN) first = first.sort(byName).slice(0, limit);
  }
  return { first: first.sort(byName).slice(0, limit), all };
}

function byName(one: Dirent, other: Dirent): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

class FolderEntry implements Entry {
  readonly path: string;
  readonly kind: Entry['kind'];
  readonly #name: string;
  readonly #folder: string;

  constructor(entry: Dirent, prefix: string, folder: string) {
    this.path = prefix + entry.name;
    this.kind = kindOf(entry);
    this.#name = entry.name;
    this.#folder = folder;
  }

  /** Looked up when it is asked for: it would be most of the cost of a listing, and few ask. */
  get size(): number {
    if (this.kind !== 'file') return 0;
    try {
      const stats = lstatSync(`${this.#folder}/${this.#name}`, { throwIfNoEntry: false });
      return stats?.isFile() ? stats.size : 0;
    } catch {
      return 0;
    }
  }
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
