import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Result, succeed } from '../../base/result.ts';
import type { FileFailure } from '../../ports/files.ts';
import { under } from './contain.ts';
import { failure, shown } from './failure.ts';

/** The nearest folder, from `folder` (absolute) upwards, that holds `.git`; null when none does. */
export function repositoryTop(folder: string): string | null {
  for (let current = folder; ; current = dirname(current)) {
    if (existsSync(under(current, '.git'))) return current;
    if (current === '/' || dirname(current) === current) return null;
  }
}

/** Folders from `top` down to `folder`, which lies in it; both included. */
export function pathDown(top: string, folder: string): string[] {
  const folders = [folder];
  for (let current = folder; current !== top && current !== dirname(current); ) {
    current = dirname(current);
    folders.unshift(current);
  }
  return folders;
}

/**
 * Arguments that make ripgrep, run in `folder`, leave out what git leaves out, and nothing else. Ignore files count
 * outside of a repository too; what lies above the workspace counts only within a repository.
 */
export function ignoreArgs(root: string, folder: string): Result<readonly string[], FileFailure> {
  const top = repositoryTop(folder);
  for (const current of pathDown(top ?? root, folder)) {
    const ignoreFile = under(current, '.gitignore');
    if (isOrdinary(ignoreFile)) continue;
    return failure('unreadable', `${shown(ignoreFile)} is not an ordinary file, so nothing can be searched below it.`);
  }
  const args = ['--hidden', '--no-ignore-dot', '--no-ignore-global', '--no-require-git', '--glob', '!.git'];
  if (top === null && folder === root) args.push('--no-ignore-parent');
  if (folder === '/') args.push('--glob', '!/proc', '--glob', '!/sys', '--glob', '!/dev');
  return succeed(args);
}

/** Reading a pipe or a device as a list of patterns would never end. */
function isOrdinary(path: string): boolean {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return !stats || stats.isFile() || stats.isDirectory();
  } catch {
    return true;
  }
}
