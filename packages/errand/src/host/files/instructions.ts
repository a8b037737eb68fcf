import { closeSync, existsSync, readSync, realpathSync } from 'node:fs';
import { sniff } from './decode.ts';
import type { Pin } from './pinned.ts';
import { pathDown, repositoryTop } from './repository.ts';

const NAMES = ['AGENTS.md', 'CLAUDE.md'];
/** Characters of one file, and the bytes that hold as many at worst. */
const MOST_CHARACTERS = 30_000;
const MOST_BYTES = MOST_CHARACTERS * 4;

export interface Instruction {
  /** Relative to the top of the repository. */
  readonly path: string;
  readonly text: string;
}

/** See `Files.instructions`. Outside of a repository `cwd` is the top. Blank files count as absent. */
export function readInstructions(pin: Pin, cwd: string): readonly Instruction[] {
  const folder = realFolder(cwd);
  if (folder === null) return [];
  const top = repositoryTop(folder) ?? folder;
  const found: Instruction[] = [];
  for (const current of pathDown(top, folder)) {
    for (const name of NAMES) {
      const file = current === '/' ? `/${name}` : `${current}/${name}`;
      const text = existsSync(file) ? readText(pin, top, file) : null;
      if (text === null || text.trim() === '' || found.some((other) => other.text === text)) continue;
      found.push({ path: top === '/' ? file.slice(1) : file.slice(top.length + 1), text });
    }
  }
  return found;
}

function realFolder(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/** The text of one ordinary file below `top`; null for anything else. */
function readText(pin: Pin, top: string, path: string): string | null {
  const pinned = pin(top, path);
  if (!pinned.ok) return null;
  const file = pinned.value;
  try {
    if (!file.stats.isFile()) return null;
    const descriptor = file.open();
    try {
      const buffer = Buffer.allocUnsafe(Math.min(MOST_BYTES, file.stats.size + 1));
      const length = readSync(descriptor, buffer, 0, buffer.length, 0);
      return decode(buffer.subarray(0, length), length >= file.stats.size);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return null;
  } finally {
    file.close();
  }
}

function decode(bytes: Buffer, whole: boolean): string | null {
  const sniffed = sniff(bytes, whole);
  if ('binary' in sniffed) return null;
  const text = sniffed.decoder.write(bytes).replaceAll('\r\n', '\n');
  if (text.length <= MOST_CHARACTERS && whole) return text;
  const code = text.charCodeAt(MOST_CHARACTERS - 1);
  const end = code >= 0xd800 && code <= 0xdbff ? MOST_CHARACTERS - 1 : MOST_CHARACTERS;
  return `${text.slice(0, end)}\n[This file is longer than ${MOST_CHARACTERS} characters; the rest is left out.]`;
}
