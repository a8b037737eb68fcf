import type { HardLinks } from './hard-links.ts';
import type { Pin } from './pinned.ts';
import type { Ripgrep } from './search/ripgrep.ts';

/** What every operation on one workspace stands on. */
export interface Ground {
  /** A real path. */
  readonly root: string;
  readonly pin: Pin;
  readonly hardLinks: HardLinks;
  readonly ripgrep: Ripgrep;
}
