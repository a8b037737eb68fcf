import { fail } from '../../base/result.ts';
import type { FileFailure } from '../../ports/files.ts';
import { deepestExisting, isInside, under } from './contain.ts';

const SHOWN_PATH = 300;

/** The failing half of every result here. */
export type Refused = { readonly ok: false; readonly error: FileFailure };

export function failure(code: FileFailure['code'], message: string): Refused {
  return fail({ code, message });
}

export function stopped(): Refused {
  return failure('stopped', 'This was stopped before it ended.');
}

export function outside(path: string): Refused {
  return failure(
    'outside',
    `${shown(path)} leads outside the workspace, and only what lies inside it may be read. Give a path inside it.`,
  );
}

/** A path as it was given, quoted so that it cannot be mistaken for words of ours. */
export function shown(path: string): string {
  return JSON.stringify(path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH)}…` : path);
}

/**
 * Why the system would not open `path`. What lies outside is told as outside whether it exists or not,
 * so that nobody learns by asking.
 */
export function explain(root: string, path: string, error: unknown): Refused {
  if (!isInside(root, deepestExisting(under(root, path)))) return outside(path);
  const name = shown(path);
  switch (codeOf(error)) {
    case 'ENOENT':
      return failure('missing', `There is no file or folder ${name} in the workspace.`);
    case 'ENOTDIR':
      return failure('missing', `There is no ${name}: a part of that path is a file and not a folder.`);
    case 'ELOOP':
      return failure('missing', `There is no ${name}: its links lead in a circle.`);
    case 'ENAMETOOLONG':
      return failure('missing', `There is no such path: it is longer than the disk allows. It begins ${name}.`);
    case 'EACCES':
    case 'EPERM':
      return failure('unreadable', `${name} may not be read: the system denies it.`);
    default:
      return failure('unreadable', `${name} cannot be read (${codeOf(error) ?? 'unknown error'}).`);
  }
}

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
