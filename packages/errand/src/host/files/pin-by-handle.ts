import { closeSync, constants, fstatSync, openSync, readlinkSync } from 'node:fs';
import { type Result, succeed } from '../../base/result.ts';
import type { FileFailure } from '../../ports/files.ts';
import { isInside, relativeTo, under } from './contain.ts';
import { explain, failure, outside, shown } from './failure.ts';
import type { Pinned } from './pinned.ts';

/** Linux: takes hold of a name without opening what it stands for. Not among Node's constants. */
const O_PATH = 0o10000000;

/**
 * Linux: the path is walked once, by the kernel, to a handle; where that handle is, is asked of the kernel; and what
 * is read is read through the handle. There is no moment between check and use.
 */
export function pinByHandle(root: string, path: string): Result<Pinned, FileFailure> {
  if (path.includes('\0')) return failure('missing', `${shown(path)} holds a NUL, which no path can.`);
  let handle: number | undefined;
  try {
    handle = openSync(under(root, path), O_PATH);
    const real = readlinkSync(`/proc/self/fd/${handle}`);
    if (!isInside(root, real)) {
      closeSync(handle);
      return outside(path);
    }
    return succeed(new Handle(handle, root, real));
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    return explain(root, path, error);
  }
}

class Handle implements Pinned {
  readonly #handle: number;
  readonly path: string;
  readonly real: string;
  readonly stats;

  constructor(handle: number, root: string, real: string) {
    this.#handle = handle;
    this.real = real;
    this.path = relativeTo(root, real);
    this.stats = fstatSync(handle);
  }

  get folder(): string {
    return `/proc/self/fd/${this.#handle}`;
  }

  open(): number {
    return openSync(this.folder, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  holds(): boolean {
    return true;
  }

  close(): void {
    closeSync(this.#handle);
  }
}
