import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, type Stats } from 'node:fs';
import { type Result, succeed } from '../../base/result.ts';
import type { FileFailure } from '../../ports/files.ts';
import { isInside, relativeTo, under } from './contain.ts';
import { explain, failure, outside, shown } from './failure.ts';
import type { Pinned } from './pinned.ts';

/**
 * Where the system gives no handles (macOS): the real path is checked, opened without following a link in its last
 * part, and after that name and descriptor must still stand for the same thing.
 */
export function pinByName(root: string, path: string): Result<Pinned, FileFailure> {
  if (path.includes('\0')) return failure('missing', `${shown(path)} holds a NUL, which no path can.`);
  try {
    const real = realpathSync.native(under(root, path));
    if (!isInside(root, real)) return outside(path);
    return succeed(new Name(root, real));
  } catch (error) {
    return explain(root, path, error);
  }
}

class Name implements Pinned {
  readonly path: string;
  readonly real: string;
  readonly stats: Stats;

  constructor(root: string, real: string) {
    this.real = real;
    this.path = relativeTo(root, real);
    this.stats = lstatSync(real);
  }

  get folder(): string {
    return this.real;
  }

  open(): number {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
    const descriptor = openSync(this.real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (same(fstatSync(descriptor), this.stats) && this.holds()) return descriptor;
    closeSync(descriptor);
    throw new Error(`${this.path} was exchanged while it was opened`);
  }

  holds(): boolean {
    try {
      return realpathSync.native(this.real) === this.real && same(lstatSync(this.real), this.stats);
    } catch {
      return false;
    }
  }

  close(): void {}
}

function same(one: Stats, other: Stats): boolean {
  return one.ino === other.ino && one.dev === other.dev && one.mode === other.mode;
}
