import type { Stats } from 'node:fs';
import type { Result } from '../../base/result.ts';
import type { FileFailure } from '../../ports/files.ts';

/** Something on disk that was found to lie inside a root, held so that no later change of names can exchange it. */
export interface Pinned {
  /** Relative to the root, real, `/` between folders; `.` for the root. */
  readonly path: string;
  /** The absolute real path. */
  readonly real: string;
  readonly stats: Stats;
  /** A name under which a pinned folder can be listed or entered while it is held. */
  readonly folder: string;
  /** A descriptor to read an ordinary file with, which the caller closes. Throws when it was exchanged meanwhile. */
  open(): number;
  /** Whether what was read under `folder` came from this folder. */
  holds(): boolean;
  close(): void;
}

/** Finds `path` (relative ones from `root`, a real path) and holds it, or says why not. Never throws, opens no pipe and no device. */
export type Pin = (root: string, path: string) => Result<Pinned, FileFailure>;
