import { lstatSync, readlinkSync } from 'node:fs';

/** Links followed before a path counts as a circle; the kernel's own number. */
const MOST_LINKS = 40;
/** Not files of anybody's: with `/` as workspace they would show memory, keys and devices. */
const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

/** Whether `real`, a real path, is `root` or lies below it. Compared by whole component, as the disk spells it. */
export function isInside(root: string, real: string): boolean {
  if (root === '/') return real.startsWith('/') && !KERNEL_FOLDERS.some((folder) => isInside(folder, real));
  return real.startsWith(root) && (real.length === root.length || real.charCodeAt(root.length) === 0x2f);
}

/** `real` as seen from `root`, which holds it; `.` for the root itself. */
export function relativeTo(root: string, real: string): string {
  if (real.length === root.length) return '.';
  return real.slice(root === '/' ? 1 : root.length + 1);
}

/** Joins without reading `..`, so that the system goes up from where a link leads and not from where it stands. */
export function under(folder: string, path: string): string {
  if (path.startsWith('/')) return path;
  return folder === '/' ? `/${path}` : `${folder}/${path}`;
}

/**
 * Where an absolute path really leads, as far as it exists: the real path of its deepest existing ancestor,
 * links followed one by one, hanging ones too.
 */
export function deepestExisting(path: string): string {
  const pending = path.split('/').reverse();
  let current = '';
  let links = 0;
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      current = current.slice(0, Math.max(0, current.lastIndexOf('/')));
      continue;
    }
    const next = `${current}/${part}`;
    const kind = look(next);
    if (kind === 'missing') break;
    if (kind === 'other') {
      current = next;
      continue;
    }
    links += 1;
    const target = links > MOST_LINKS ? null : targetOf(next);
    if (target === null) break;
    if (target.startsWith('/')) current = '';
    pending.push(...target.split('/').reverse());
  }
  return current === '' ? '/' : current;
}

function look(path: string): 'missing' | 'link' | 'other' {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return 'missing';
    return stats.isSymbolicLink() ? 'link' : 'other';
  } catch {
    return 'missing';
  }
}

function targetOf(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null;
  }
}
