import type { Line } from '../look/observed.ts';

const LONGEST_QUOTE = 200;

/** `path:line`, in backticks where the path would not hold together without them. */
export function cite(line: { readonly path: string; readonly line: number }): string {
  const place = `${line.path}:${line.line}`;
  return /^[\w./@+-]+:\d+$/u.test(place) ? place : codeSpan(place);
}

/**
 * One item of evidence: the citation and what stands there, trimmed. What would read as another citation or as a claim
 * stands in a code block, where it is quoted text and nothing else.
 */
export function renderEvidence(line: Line): string {
  const trimmed = line.text.trim();
  const quote = trimmed.length > LONGEST_QUOTE ? `${cutAt(trimmed, LONGEST_QUOTE)}…` : trimmed;
  if (!readsAsClaim(quote)) return `- ${cite(line)} — ${codeSpan(quote)}`;
  const fence = '`'.repeat(Math.max(3, longestRun(quote) + 1));
  return `- ${cite(line)}\n  ${fence}\n  ${quote}\n  ${fence}`;
}

const CITES = /\S:\d|#L\d/u;
const OUTCOME =
  /\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?|success(?:ful(?:ly)?)?|fail(?:s|ed|ing|ures?)?|exit(?:s|ed)?)\b/iu;
const CHECKED =
  /\b(?:\w*tests?|suites?|specs?|checks?|builds?|lint|commands?|scripts?|npm|npx|pnpm|yarn|bun|node|make|cargo|go|pytest|vitest|jest|mocha|tsc|gradle|mvn|CI)\b/iu;

/** Whether a quotation could be taken for a citation or for a claim about tests and commands. */
export function readsAsClaim(text: string): boolean {
  return CITES.test(text) || (OUTCOME.test(text) && CHECKED.test(text));
}

/** Items of evidence as this model writes them; what another model wrote is kept as it stands, with the places it cites. */
export interface CitedLine extends Line {
  readonly raw: string;
  /** The number of the question that it belongs to, where the report has several. */
  readonly group: number;
}

const ITEM = /^- (?:(`+) ?(.+?) ?\1|(\S+))(?: — (`+) ?(.*?) ?\4)?$/u;

/** Reads an EVIDENCE section back. */
export function parseEvidence(section: string): CitedLine[] {
  const items: CitedLine[] = [];
  const rows = section.split('\n');
  let group = 1;
  for (const [at, row] of rows.entries()) {
    const number = /^Question (\d+):$/u.exec(row)?.[1];
    if (number) group = Number(number);
    else if (/^(?:[-*]|\d+\.)\s/u.test(row)) items.push({ ...parseItem(row, rows.slice(at + 1, at + 4)), group });
  }
  return items;
}

function parseItem(row: string, next: readonly string[]): Line & { readonly raw: string } {
  const own = ITEM.exec(row);
  const [, path, line] = /^(.+):(\d+)$/u.exec(own?.[2] ?? own?.[3] ?? '') ?? [];
  if (path && line && own?.[5] !== undefined) return { path, line: Number(line), text: own[5], raw: row };
  const fence = /^ {2}(`{3,})$/u.exec(next[0] ?? '')?.[1];
  if (path && line && fence && next[2] === `  ${fence}`) {
    return { path, line: Number(line), text: (next[1] ?? '').slice(2), raw: [row, ...next].join('\n') };
  }
  const cited = /(?:^|[\s(`"'])([^\s`"'():]+\.\w+):(\d+)/u.exec(row);
  return {
    path: cited?.[1] ?? '',
    line: Number(cited?.[2] ?? 0),
    text: row.replace(/^(?:[-*]|\d+\.)\s+/u, ''),
    raw: row,
  };
}

function codeSpan(text: string): string {
  const mark = '`'.repeat(longestRun(text) + 1);
  const pad = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return mark + pad + text + pad + mark;
}

/** The longest run of backticks in a text. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/gu) ?? []).map((run) => run.length));
}

function cutAt(text: string, limit: number): string {
  const kept = text.slice(0, limit);
  return /[\uD800-\uDBFF]$/u.test(kept) ? kept.slice(0, -1) : kept;
}
