import type { Question } from '../ask/question.ts';
import { shown, type Term } from '../ask/terms.ts';
import { enclosing } from '../look/context.ts';
import { definedBy, type LineRole, type Standing } from '../look/lines.ts';
import type { Observed } from '../look/observed.ts';
import { isStrong, type Place, rank } from '../look/rank.ts';
import { filesOf } from './about-files.ts';
import { pathShown } from './wording.ts';

/** What a scout says of a line in its register. */
export interface Entry extends Standing {
  readonly path: string;
  readonly line: number;
  /** What it stands in, or what it defines. */
  readonly inside: string | null;
  readonly terms: readonly Term[];
}

export interface Register {
  readonly entries: readonly Entry[];
  /** There are more lines than it names. */
  readonly cut: boolean;
}

const WITH = 'Every line with ';
const NEAR = 'Lines near ';
const MOST_ROWS = 3;
/** Characters of a row. */
const LONGEST_ROW = 5_000;
const AND_MORE = /; and more$/u;
const DEFINITIONS: readonly (readonly [string, number])[] = [
  ['definition', 3],
  ['method', 2],
  ['local', 1.5],
  ['member', 1.2],
  ['property', 1],
];
const FILE = /(?:(`+)(.+?)\1|([\w./@+-]+)): ((?:(?:, )?[a-z]+ \d+(?: \([^()]*\))?)+)(?=; |$)/gu;
const LINE = /([a-z]+) (\d+)(?: \(([^()]*)\))?/gu;

/**
 * All lines that a scout found in its part of the workspace, in a fixed wording, so that the root can count over the parts:
 * one row for each name or quotation, or one for the words of a question about files.
 */
export function registerOf(question: Question, observed: Observed): string[] {
  const places = rank(question, observed);
  const strong = question.terms.filter(isStrong).slice(0, MOST_ROWS);
  if (strong.length > 0) {
    return strong.flatMap((term) => {
      const own = places.filter((place) => place.terms.includes(term));
      const standingOf = (place: Place) => place.standings.get(term) ?? place;
      return rowOf(`${WITH}${shown(term)}`, own, {
        line: (place) => lineOf(observed, place, standingOf(place)),
        cut: observed.cut,
      });
    });
  }
  if (question.intent !== 'files' && question.intent !== 'count') return [];
  const files = filesOf(question, observed, places);
  const terms = question.terms.filter((term) => term.kind === 'word' && files[0]?.terms.has(term));
  const lines = files.flatMap(({ best }) => [
    best,
    ...places.filter((place) => place.path === best.path && place !== best),
  ]);
  return rowOf(`${NEAR}${terms.map(shown).join(', ')}`, lines, {
    line: (place) => lineOf(observed, place, place),
    cut: observed.cut,
  });
}

interface Wording {
  readonly line: (place: Place) => string;
  /** There are more lines than these. */
  readonly cut: boolean;
}

function rowOf(head: string, places: readonly Place[], { line, cut }: Wording): string[] {
  if (places.length === 0) return [];
  const byFile = new Map<string, string[]>();
  for (const place of places) byFile.set(place.path, [...(byFile.get(place.path) ?? []), line(place)]);
  let row = '';
  let more = cut;
  for (const [path, lines] of byFile) {
    const file = `${row === '' ? '' : '; '}${pathShown(path)}: ${lines.join(', ')}`;
    // A path that breaks the wording is left out, and said to be.
    if (row.length + file.length > LONGEST_ROW || /[`\n]/u.test(path)) more = true;
    else row += file;
  }
  return row === '' ? [] : [`${head}: ${row}${more ? '; and more' : ''}`];
}

function lineOf(observed: Observed, place: Place, { role, grade }: Standing): string {
  const kind = role === 'definition' ? (DEFINITIONS.find(([, least]) => grade >= least)?.[0] ?? 'property') : role;
  const name =
    role === 'definition' || role === 'heir' ? definedBy(place.text)?.name : enclosing(observed, place)?.name;
  return `${kind} ${place.line}${name && /^[\p{L}\p{N}_$.-]+$/u.test(name) ? ` (${name})` : ''}`;
}

/** Reads the rows of a register back. */
export function parseRegister(summary: string, question: Question): Register {
  const entries: Entry[] = [];
  let cut = false;
  for (const row of summary.split('\n')) {
    const terms = termsOf(row, question);
    if (terms.length === 0) continue;
    cut ||= AND_MORE.test(row);
    for (const [, , quoted, bare, lines] of row.replace(AND_MORE, '').matchAll(FILE)) {
      for (const [, kind = '', line, inside] of (lines ?? '').matchAll(LINE)) {
        entries.push({
          path: quoted ?? bare ?? '',
          line: Number(line),
          inside: inside ?? null,
          terms,
          ...standing(kind),
        });
      }
    }
  }
  return { entries, cut };
}

/** A summary without the register in it. */
export function withoutRegister(summary: string): string {
  return summary
    .split('\n')
    .filter((row) => !row.startsWith(WITH) && !row.startsWith(NEAR))
    .join('\n');
}

function termsOf(row: string, question: Question): Term[] {
  if (row.startsWith(WITH))
    return question.terms.filter((term) => row.startsWith(`${WITH}${shown(term)}: `)).slice(0, 1);
  if (!row.startsWith(NEAR)) return [];
  const head = row.slice(0, row.indexOf(': '));
  return question.terms.filter((term) => term.kind === 'word' && head.includes(shown(term)));
}

function standing(kind: string): Standing {
  const grade = DEFINITIONS.find(([name]) => name === kind)?.[1];
  return grade === undefined ? { role: kind as LineRole, grade: 0 } : { role: 'definition', grade };
}

/** The places of what was quoted and of what only the register names. */
export function withEntries(
  ranked: readonly Place[],
  entries: readonly Entry[],
  classOf: (path: string) => Place['class'],
): Place[] {
  const places = new Map(ranked.map((place) => [`${place.path}:${place.line}`, place]));
  for (const { path, line, role, grade, terms } of entries) {
    const key = `${path}:${line}`;
    const known = places.get(key);
    const strong = terms.filter(isStrong);
    const standings = new Map([...(known?.standings ?? []), ...strong.map((term) => [term, { role, grade }] as const)]);
    places.set(key, {
      path,
      line,
      text: known?.text ?? '',
      role: known?.role ?? role,
      grade: known?.grade ?? grade,
      standings,
      class: classOf(path),
      terms: [...new Set([...(known?.terms ?? []), ...terms])],
      // A row of words says what stands together; single quoted lines cannot.
      near: new Set(strong.length > 0 ? [...(known?.near ?? []), ...terms] : terms),
      close: new Set([...(known?.close ?? []), ...terms]),
      exact: known?.exact === true || strong.length > 0,
      score: known?.score ?? 0,
    });
  }
  return [...places.values()];
}
