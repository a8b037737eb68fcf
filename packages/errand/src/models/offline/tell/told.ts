import type { Told } from '../look/observed.ts';

/** A place as `cite` writes it. */
const CITE = '(`+[^`]+:\\d+`+|[\\w./@+-]+:\\d+)';
const BETWEEN = `(?:, (?:\`+[^\`]+:\\d+\`+|[\\w./@+-]+:\\d+)| and \\d+ more| in \`[^\`]+\`|; in all in [^.]*)*`;
const INSIDE = new RegExp(`${CITE} in \`([^\`]+)\``, 'gu');
const DEFINES = new RegExp(`\`([^\`]+)\` \\(${CITE}\\)`, 'gu');
const COMMENT = new RegExp(`(?:is defined at|stands at) ${CITE}${BETWEEN}\\.( Its comment says: “.*?”)(?= |$)`, 'gmu');
const NEXT_QUOTATION = /(?= “[^”]*” (?:stands at|was not found))/u;
const STANDS = new RegExp(`stands at ${CITE}`, 'u');
const TAIL = /(?: What leads there is decided at | `[^`]+` is called at ).*$/mu;

/** What the sentences of this very model say about single places, by `path:line`. */
export function toldIn(summary: string): Map<string, Told> {
  const told = new Map<string, Told>();
  const add = (cited: string | undefined, more: Partial<Told>) => {
    const key = (cited ?? '').replace(/^`+|`+$/gu, '');
    told.set(key, { inside: null, comment: '', tail: '', ...told.get(key), ...more });
  };
  for (const [, cited, inside = ''] of summary.matchAll(INSIDE)) add(cited, { inside });
  for (const [, inside = '', cited] of summary.matchAll(DEFINES)) add(cited, { inside });
  for (const [, cited, comment = ''] of summary.matchAll(COMMENT)) add(cited, { comment });
  for (const chunk of summary.split(NEXT_QUOTATION)) {
    const cited = STANDS.exec(chunk)?.[1];
    const tail = TAIL.exec(chunk)?.[0];
    if (cited && tail) add(cited, { tail });
  }
  return told;
}
