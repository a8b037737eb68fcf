import type { Question } from '../ask/question.ts';
import { shown, type Term } from '../ask/terms.ts';
import { definedBy } from '../look/lines.ts';
import type { Line, Observed } from '../look/observed.ts';
import { compareText, isStrong, type Place } from '../look/rank.ts';
import { cite } from './citation.ts';
import { ASIDE, atLeast, LISTED, listed, pathShown, type Statement } from './wording.ts';

const LISTED_FILES = 6;

interface FileMaterial {
  readonly places: readonly Place[];
  readonly named: readonly string[];
}

/** Which files have the terms, those with the most of them first; and files that are named so. */
export function aboutFiles(question: Question, observed: Observed, { places, named }: FileMaterial): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  if (named.length > 0) {
    texts.push(`${named.length === 1 ? 'A file is' : 'Files are'} named so: ${listed(named.map(pathShown), LISTED)}.`);
    for (const file of named.slice(0, 2)) evidence.push(...headOf(observed, file));
  }
  const files = filesOf(question, observed, places);
  if (files.length > 0) {
    const terms = question.terms
      .filter((term) => files[0]?.terms.has(term) && term.kind !== 'weak' && term.kind !== 'variant')
      .map(shown);
    const items = files.map(({ best, lines }) => `${cite(best)}${lines === 1 ? '' : ` (${lines} lines)`}`);
    const lines = files.reduce((sum, file) => sum + file.lines, 0);
    const where = files.length === 1 ? 'one file' : `${files.length} files`;
    const verb =
      terms.length > 1
        ? `stand close together in ${atLeast(observed)}`
        : `stands on ${atLeast(observed)}${lines} ${lines === 1 ? 'line' : 'lines'} in `;
    texts.push(`${terms.join(' and ')} ${verb}${where}: ${listed(items, LISTED_FILES)}.`);
    evidence.push(...files.slice(0, 12).map(({ best }) => best));
  }
  return { text: texts.join(' '), evidence, risks: [] };
}

interface FileOfTerms {
  readonly best: Place;
  readonly terms: ReadonlySet<Term>;
  readonly lines: number;
}

/** The files that have the most of the terms in one place. */
export function filesOf(question: Question, observed: Observed, places: readonly Place[]): FileOfTerms[] {
  const byFile = new Map<string, Place[]>();
  const concerned = question.about === null ? places : places.filter((place) => place.class === question.about);
  for (const place of concerned.length > 0 ? concerned : places) {
    const list = byFile.get(place.path);
    if (list) list.push(place);
    else byFile.set(place.path, [place]);
  }
  const files = [...byFile.values()].flatMap((list) => {
    const richest = Math.max(...list.map((place) => worth(place.near)));
    const [best] = list
      .filter((place) => worth(place.near) === richest)
      .sort((a, b) => worth(new Set(b.terms)) - worth(new Set(a.terms)) || b.score - a.score || a.line - b.line);
    return best ? [{ best, terms: best.near, lines: list.length }] : [];
  });
  const most = Math.max(0, ...files.map((file) => worth(file.terms)));
  const richest = files.filter((file) => worth(file.terms) === most);
  // For mere words, files that have them only in passing are left out; helpers have done so.
  const least =
    observed.told !== null || question.terms.some(isStrong) ? 0 : 0.2 * Math.max(0, ...richest.map(weightOf));
  return richest
    .filter((file) => weightOf(file) >= least)
    .sort(
      (a, b) =>
        Number(ASIDE.includes(a.best.class)) - Number(ASIDE.includes(b.best.class)) ||
        weightOf(b) - weightOf(a) ||
        compareText(a.best.path, b.best.path),
    );
}

function worth(terms: ReadonlySet<Term>): number {
  return [...terms].reduce((sum, term) => sum + (isStrong(term) ? 3 : term.kind === 'word' ? 1 : 0), 0);
}

/** A file weighs as its best line, and a little more for each further one. */
function weightOf(file: FileOfTerms): number {
  return file.best.score * (1 + 0.4 * Math.log(file.lines));
}

/** The first lines of a file that define something, or just its first line. */
function headOf(observed: Observed, file: string): Line[] {
  const lines = [...(observed.seen.get(file) ?? [])]
    .sort(([a], [b]) => a - b)
    .map(([line, text]) => ({ path: file, line, text }));
  const defining = lines.filter(({ text }) => /^\S/u.test(text) && (definedBy(text)?.grade ?? 0) >= 3);
  return defining.length > 0 ? defining.slice(0, 5) : lines.filter(({ text }) => text.trim() !== '').slice(0, 2);
}
