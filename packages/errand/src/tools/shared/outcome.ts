import type { Json } from '../../base/json.ts';
import type { FileFailure } from '../../ports/files.ts';
import type { ToolOutcome } from '../../ports/tool.ts';

/** Characters of one result, so that the dispatcher need not cut it in the middle. */
export const MOST_OUTPUT = 28_000;

export function succeeded(output: string, facts: Json): ToolOutcome {
  return { status: 'ok', output, facts };
}

/** What lies outside the workspace is refused; the rest went wrong. */
export function failed({ code, message }: FileFailure): ToolOutcome {
  if (code === 'outside') return { status: 'refused', output: message };
  return { status: code === 'stopped' ? 'stopped' : 'error', output: message };
}

/** A path on a line of its own: as it is, or quoted where a character in it could end the line. */
export function shownPath(path: string): string {
  return /[\p{Cc}\u2028\u2029]/u.test(path) ? JSON.stringify(path) : path;
}

/** As many lines as fit in `limit` characters, each with its line break. */
export function fittingLines(lines: readonly string[], limit: number): readonly string[] {
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length > limit) return lines.slice(0, index);
  }
  return lines;
}
