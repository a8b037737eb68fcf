import { pinByHandle } from '../../src/host/files/pin-by-handle.ts';
import { pinByName } from '../../src/host/files/pin-by-name.ts';
import type { Pin } from '../../src/host/files/pinned.ts';

/** The ways of holding a file that this system can be tested with. */
export const PINS: readonly (readonly [name: string, pin: Pin])[] =
  process.platform === 'linux'
    ? [
        ['by handle', pinByHandle],
        ['by name', pinByName],
      ]
    : [['by name', pinByName]];
