import { cells, pad } from '../terminal/text.ts';

/** Rows under their heads, each column as wide as its widest cell; ends with a line break. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, ...rows];
  const widths = heads.map((_, column) => lines.reduce((most, line) => Math.max(most, cells(line[column] ?? '')), 0));
  return lines
    .map((line) =>
      line
        .map((text, column) => pad(text, widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}
