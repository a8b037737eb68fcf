import { type Result, succeed } from '../../../base/result.ts';
import type { Entry, FileFailure, Listing } from '../../../ports/files.ts';
import { failure, shown, stopped } from '../failure.ts';
import type { Ground } from '../ground.ts';
import { ignoreArgs } from '../repository.ts';
import { compileGlob, type GlobTest } from './glob.ts';
import { tooSlow } from './search-files.ts';

const NUL = 0;

export interface FindRequest {
  readonly glob: string;
  readonly path?: string;
  readonly limit: number;
}

/** Files and folders whose path below `path` fits a glob; a folder comes right before what lies in it. */
export async function findFiles(
  ground: Ground,
  { glob, path, limit }: FindRequest,
  signal: AbortSignal,
): Promise<Result<Listing, FileFailure>> {
  if (signal.aborted) return stopped();
  const test = compileGlob(glob);
  if (!test.ok) return failure('bad_pattern', `The glob ${shown(glob)} cannot be used: ${test.error}.`);
  const pinned = ground.pin(ground.root, path ?? '.');
  if (!pinned.ok) return pinned;
  const folder = pinned.value;
  try {
    if (!folder.stats.isDirectory()) return failure('not_a_folder', `${shown(path ?? '.')} is not a folder.`);
    const ignored = ignoreArgs(ground.root, folder.real);
    if (!ignored.ok) return ignored;
    const names = new NameCollector(test.value, limit);
    const args = ['--no-config', '--files', '--null', '--sort', 'path', '--no-follow', '--no-messages'];
    args.push('--no-ignore-messages', ...ignored.value, '--', './');
    const take = (record: Buffer): boolean => names.take(record.toString());
    const end = await ground.ripgrep({ args, folder: folder.folder, separator: NUL, take }, signal);
    if (end.kind === 'stopped') return stopped();
    if (end.kind === 'failed') return failure('unreadable', `The search could not run: ${end.message}.`);
    if (end.kind === 'late' && names.found.length === 0) return tooSlow();
    const prefix = folder.path === '.' ? '' : `${folder.path}/`;
    const entries = names.found.flatMap((name) => entryOf(ground, prefix + name));
    const more = names.all - names.found.length + (end.kind === 'late' ? 1 : 0);
    return succeed({ path: folder.path, entries, more });
  } finally {
    folder.close();
  }
}

/** What ripgrep names is looked up once more: it must lie where it was named. */
function entryOf(ground: Ground, path: string): Entry[] {
  const pinned = ground.pin(ground.root, path);
  if (!pinned.ok) return [];
  const { stats, path: real } = pinned.value;
  pinned.value.close();
  if (real !== path) return [];
  if (stats.isDirectory()) return [{ path, kind: 'folder', size: 0 }];
  return stats.isFile() ? [{ path, kind: 'file', size: stats.size }] : [];
}

/** Takes paths of files in order; folders follow from them. */
class NameCollector {
  readonly found: string[] = [];
  /** Fitting ones, those beyond the limit included. */
  all = 0;
  readonly #fits: GlobTest;
  readonly #limit: number;
  #folders: readonly string[] = [];

  constructor(fits: GlobTest, limit: number) {
    this.#fits = fits;
    this.#limit = limit;
  }

  take(record: string): boolean {
    const path = record.startsWith('./') ? record.slice(2) : record;
    const folders = path.split('/').slice(0, -1);
    let same = 0;
    while (same < folders.length && folders[same] === this.#folders[same]) same += 1;
    for (let depth = same + 1; depth <= folders.length; depth++) this.#test(folders.slice(0, depth).join('/'));
    this.#folders = folders;
    this.#test(path);
    return true;
  }

  #test(path: string): void {
    if (!this.#fits(path)) return;
    this.all += 1;
    if (this.found.length < this.#limit) this.found.push(path);
  }
}
