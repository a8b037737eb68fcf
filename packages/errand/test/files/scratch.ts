import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own for one test: the real path, removed when the test ends. */
export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'errand-files-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files (a text or bytes), folders (null) and links (`{ to }`) below `folder`. */
export function grow(
  folder: string,
  tree: Readonly<Record<string, string | Buffer | null | { readonly to: string }>>,
): void {
  for (const [name, content] of Object.entries(tree)) {
    const path = join(folder, name);
    mkdirSync(content === null ? path : dirname(path), { recursive: true });
    if (content === null) continue;
    if (typeof content === 'string' || Buffer.isBuffer(content)) writeFileSync(path, content);
    else symlinkSync(content.to, path);
  }
}

/** A signal that nobody raises. */
export function calm(): AbortSignal {
  return new AbortController().signal;
}
