import { existsSync } from 'node:fs';
import { pinByHandle } from './pin-by-handle.ts';
import { pinByName } from './pin-by-name.ts';
import type { Pin } from './pinned.ts';

/** The way of holding that suits this system. */
export function systemPin(): Pin {
  return process.platform === 'linux' && existsSync('/proc/self/fd') ? pinByHandle : pinByName;
}
