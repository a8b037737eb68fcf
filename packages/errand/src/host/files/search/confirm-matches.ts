import { closeSync, readSync } from 'node:fs';
import type { Match } from '../../../ports/files.ts';
import type { Ground } from '../ground.ts';
import type { Pinned } from '../pinned.ts';
import { readLines, refuse } from '../read-lines.ts';
import { COMPARED_BYTES, type FoundMatch } from './match-collector.ts';

const BYTE_ORDER_MARK = 3;

/**
 * Keeps the matches that we see ourselves, in files that we hold: ripgrep opens by name, and a name may be exchanged
 * for a link while it runs. What has changed meanwhile is left out too.
 */
export async function confirmMatches(
  ground: Ground,
  found: readonly FoundMatch[],
  signal: AbortSignal,
): Promise<Match[]> {
  const confirmed: Match[] = [];
  for (const matches of byFile(found)) {
    if (signal.aborted) break;
    for (const match of await confirmFile(ground, matches, signal)) {
      confirmed.push({ path: match.path, line: match.line, text: match.text });
    }
  }
  return confirmed;
}

function byFile(found: readonly FoundMatch[]): FoundMatch[][] {
  const files = new Map<string, FoundMatch[]>();
  for (const match of found) {
    const file = files.get(match.path);
    if (file) file.push(match);
    else files.set(match.path, [match]);
  }
  return [...files.values()];
}

async function confirmFile(
  ground: Ground,
  matches: readonly FoundMatch[],
  signal: AbortSignal,
): Promise<readonly FoundMatch[]> {
  const path = matches[0]?.path ?? '';
  const pinned = ground.pin(ground.root, path);
  if (!pinned.ok) return [];
  const file = pinned.value;
  try {
    if (file.path !== path || (await refuse(ground, file, path))) return [];
    const seen = compare(file, matches);
    if (seen !== 'utf-16') return seen;
    const flags: boolean[] = [];
    for (const match of matches) flags.push(await isLine(ground, match, signal));
    return matches.filter((_match, index) => flags[index]);
  } catch {
    return [];
  } finally {
    file.close();
  }
}

function compare(file: Pinned, matches: readonly FoundMatch[]): readonly FoundMatch[] | 'utf-16' {
  const descriptor = file.open();
  try {
    const head = bytesAt(descriptor, 0, BYTE_ORDER_MARK);
    const mark = head.toString('hex');
    if (mark.startsWith('fffe') || mark.startsWith('feff')) return 'utf-16';
    const shift = mark === 'efbbbf' ? BYTE_ORDER_MARK : 0;
    return matches.filter(({ offset, bytes }) => bytesAt(descriptor, offset + shift, bytes.length).equals(bytes));
  } finally {
    closeSync(descriptor);
  }
}

function bytesAt(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, position));
}

/** For a file that ripgrep converts, so that its offsets say nothing. */
async function isLine(ground: Ground, { path, line, bytes }: FoundMatch, signal: AbortSignal): Promise<boolean> {
  const request = { path, from: line, to: line, maxBytes: COMPARED_BYTES * 4, maxLine: COMPARED_BYTES };
  const read = await readLines(ground, request, signal);
  const [text] = read.ok ? read.value.lines : [];
  const wanted = bytes.toString().replace(/\r?\n$/u, '');
  return (
    text !== undefined && (text === wanted || (bytes.length === COMPARED_BYTES && text.startsWith(wanted.slice(0, -1))))
  );
}
