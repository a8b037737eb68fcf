import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One item of evidence, read without any code of the model. */
export interface Item {
  readonly path: string;
  readonly line: number;
  readonly quote: string;
}

/** The items of an EVIDENCE section. Throws on a row that is none. */
export function itemsOf(section: string): Item[] {
  const items: Item[] = [];
  const rows = section.split('\n');
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] ?? '';
    if (row === 'None.' || /^Question \d+:$/u.test(row)) continue;
    if (!row.startsWith('- ')) throw new Error(`no item of evidence: ${row}`);
    const [place = '', ...rest] = row.slice(2).split(' — ');
    const fence = /^ {2}(`{3,})$/u.exec(rows[at + 1] ?? '')?.[1];
    if (rest.length === 0 && fence !== undefined) {
      if (rows[at + 3] !== `  ${fence}`) throw new Error(`a fence that does not close: ${row}`);
      items.push({ ...placeOf(place), quote: (rows[at + 2] ?? '').slice(2) });
      at += 3;
    } else items.push({ ...placeOf(place), quote: unquoted(rest.join(' — ')) });
  }
  return items;
}

/** What is wrong with an item: null when the file has exactly this line, or what is shown of it. */
export function mistakeIn(folder: string, item: Item): string | null {
  const file = join(folder, item.path);
  if (!existsSync(file)) return `${item.path} does not exist`;
  const line = readFileSync(file, 'utf8').split('\n')[item.line - 1]?.replace(/\r$/u, '').trim();
  if (line === undefined) return `${item.path} has no line ${item.line}`;
  if (line === item.quote) return null;
  const shown = item.quote.replace(/^…|…$/gu, '');
  return item.quote !== shown && shown.length > 100 && line.includes(shown)
    ? null
    : `${item.path}:${item.line} is ${JSON.stringify(line)}, quoted ${JSON.stringify(item.quote)}`;
}

function placeOf(text: string): { readonly path: string; readonly line: number } {
  const [, path, line] = /^(.+):(\d+)$/su.exec(unquoted(text)) ?? [];
  if (path === undefined || line === undefined) throw new Error(`no place: ${text}`);
  return { path, line: Number(line) };
}

/** Without the backticks of a code span. */
function unquoted(text: string): string {
  const [, mark = '', inner] = /^(`+)(.*)\1$/su.exec(text) ?? [];
  if (inner === undefined) return text;
  return mark.length > 1 && /^ .* $/su.test(inner) ? inner.slice(1, -1) : inner;
}
