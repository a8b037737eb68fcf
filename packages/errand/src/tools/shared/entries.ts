import type { Entry } from '../../ports/files.ts';
import { shownPath } from './outcome.ts';

/** One entry on a line: folders end in `/`; what is neither file nor folder says so. */
export function entryLine({ path, kind }: Entry): string {
  const name = shownPath(path);
  switch (kind) {
    case 'file':
      return name;
    case 'folder':
      return `${name}/`;
    case 'link':
      return `${name} (link)`;
    default:
      return `${name} (no ordinary file)`;
  }
}
