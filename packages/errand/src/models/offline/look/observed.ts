import type { Done, Scope } from '../turn.ts';

/** A line that a tool really showed. */
export interface Line {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** Everything that the tools of a turn have shown. */
export interface Observed {
  /** Matches of searches, in order, without doubles. */
  readonly hits: readonly Line[];
  /** Every line seen, by path and number: matches and what was read. */
  readonly seen: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Files found by their names. */
  readonly files: readonly string[];
  /** A search or a find stopped at its limit. */
  readonly cut: boolean;
  /** What failed, in the tools' own words. */
  readonly failures: readonly string[];
  /** Successful calls that looked for something. */
  readonly looked: number;
  /** What helpers said about places that they saw and this run did not, by `path:line`; null where everything was seen here. */
  readonly told: ReadonlyMap<string, Told> | null;
}

/** What another run said about a place. */
export interface Told {
  /** What it stands in, or what it defines. */
  readonly inside: string | null;
  /** What its comment says, as a sentence; or empty. */
  readonly comment: string;
  /** What leads there and who calls that, as sentences; or empty. */
  readonly tail: string;
}

const HIT = /^(.+?):(\d+):(?: |$)(.*)$/su;
const READ_HEAD = /^(.+) \(lines? (\d+)(?:-(\d+))?(?: of (\d+))?.*\)$/u;
const READ_LINE = /^ *(\d+)\t(.*)$/su;

/** Reads the outcomes of a turn's calls; what does not look like a match, a line or a path is left out. */
export function observe(rounds: readonly (readonly Done[])[], scope: Scope): Observed {
  const hits = new Map<string, Line>();
  const seen = new Map<string, Map<number, string>>();
  const files = new Set<string>();
  const failures = new Set<string>();
  let cut = false;
  let looked = 0;
  const see = (line: Line) => {
    const lines = seen.get(line.path) ?? new Map<number, string>();
    // A match may have been shortened where a read was not.
    if ((lines.get(line.line)?.length ?? -1) < line.text.length) lines.set(line.line, line.text);
    seen.set(line.path, lines);
  };
  for (const done of rounds.flat()) {
    if (done.error) {
      if (['search', 'read', 'list', 'find'].includes(done.name))
        failures.add(`${done.name}: ${firstSentence(done.text)}`);
      continue;
    }
    if (done.name === 'search' || done.name === 'find') looked++;
    if (done.name === 'search') {
      for (const hit of parseHits(done.text)) {
        if (!isInScope(hit.path, scope)) continue;
        hits.set(`${hit.path}\u0000${hit.line}`, hit);
        see(hit);
      }
      cut ||= isCut(done.text);
    } else if (done.name === 'read') {
      for (const line of parseRead(done.text)) see(line);
    } else if (done.name === 'find') {
      for (const path of parsePaths(done.text)) if (!path.endsWith('/') && isInScope(path, scope)) files.add(path);
      cut ||= isCut(done.text);
    }
  }
  return { hits: [...hits.values()], seen, files: [...files], cut, failures: [...failures], looked, told: null };
}

/** The lines `path:line: text` of a search. */
function parseHits(text: string): Line[] {
  return text.split('\n').flatMap((row) => {
    const [, path, line, found] = HIT.exec(row.replace(/\r$/u, '')) ?? [];
    if (path === undefined || line === undefined || isQuotedPath(path)) return [];
    return [{ path, line: Number(line), text: withoutMarks(found ?? '') }];
  });
}

/** Names with line breaks and the like come quoted, and cannot be cited. */
function isQuotedPath(path: string): boolean {
  return /^".*\\.*"$/u.test(path);
}

/** What a tool says about characters that it left out becomes a mere `…`. */
function withoutMarks(text: string): string {
  if (text.length < 300) return text;
  return text
    .replace(/^\[\d+ characters left out\] …/u, '…')
    .replace(/… \[(?:more than )?\d+ characters left out\]$/u, '…');
}

/** The numbered lines below the head of a read. */
function parseRead(text: string): Line[] {
  const [head = '', ...rows] = text.split('\n');
  const path = READ_HEAD.exec(head.trim())?.[1];
  if (path === undefined || isQuotedPath(path)) return [];
  return rows.flatMap((row) => {
    const [, line, found] = READ_LINE.exec(row.replace(/\r$/u, '')) ?? [];
    return line === undefined ? [] : [{ path, line: Number(line), text: withoutMarks(found ?? '') }];
  });
}

/** One path a line; remarks in parentheses or brackets are none. */
export function parsePaths(text: string): string[] {
  return text
    .split('\n')
    .map((row) => row.replace(/\r$/u, '').replace(/^\.\//u, ''))
    .filter(
      (row) =>
        row.trim() !== '' && !isRemark(row) && !isQuotedPath(row) && !/ \((?:link|no ordinary file)\)$/u.test(row),
    );
}

function isCut(text: string): boolean {
  return text.split('\n').some((row) => isRemark(row) && /\b(?:more|cut|limit|left out|truncated|first)\b/iu.test(row));
}

function isRemark(row: string): boolean {
  return /^\s*(?:[([…].*[)\]…]|\.{3}.*|…|no (?:match|file|entr|such)\b.*|nothing fits .*|.* is an empty folder|\d+ (?:more|characters|matches)\b.*|there (?:is|are)\b.*)\s*\.?$/iu.test(
    row,
  );
}

function isInScope(path: string, { paths, shallow }: Scope): boolean {
  if (paths.length === 0 && shallow.length === 0) return true;
  const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  return shallow.includes(parent) || paths.some((root) => path === root || path.startsWith(`${root}/`));
}

function firstSentence(text: string): string {
  const folded = text.replace(/\s+/gu, ' ').trim();
  const end = folded.search(/[.!?](?:\s|$)/u);
  return (end < 0 ? folded : folded.slice(0, end + 1)).slice(0, 160);
}
