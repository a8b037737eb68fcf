import type { Intent, Question } from '../ask/question.ts';
import type { Term } from '../ask/terms.ts';
import { isWeakWord, stem } from '../ask/words.ts';
import {
  createRoleTeller,
  definedBy,
  isComment,
  isHeading,
  isImport,
  isSentence,
  type LineRole,
  type RoleTeller,
  type Standing,
} from './lines.ts';
import type { Line, Observed } from './observed.ts';
import { classOf, type PathClass } from './path-class.ts';

/** A match, judged for one question. */
export interface Place extends Line, Standing {
  /** What each name of the question is on this line; `role` and `grade` are those of the first, or of the words. */
  readonly standings: ReadonlyMap<Term, Standing>;
  readonly class: PathClass;
  /** Terms that stand on the line. */
  readonly terms: readonly Term[];
  /** These, and those that stand close by or in the name of the file. */
  readonly near: ReadonlySet<Term>;
  /** These, and those in the names of its folders. */
  readonly close: ReadonlySet<Term>;
  /** One of them is a name, a path or a quotation, as asked for. */
  readonly exact: boolean;
  readonly score: number;
}

const TERM_WEIGHT: Readonly<Record<Term['kind'], number>> = {
  phrase: 4,
  identifier: 3,
  file: 2.5,
  folder: 0.3,
  idiom: 2.5,
  variant: 1.5,
  word: 1,
  weak: 0.2,
};
const CLASS_WEIGHT: Readonly<Record<PathClass, number>> = {
  source: 1,
  types: 0.5,
  locales: 0.4,
  tests: 0.45,
  docs: 0.5,
  config: 0.6,
  tooling: 0.3,
  examples: 0.4,
  fixtures: 0.2,
  generated: 0.08,
};
/** What a question is after decides what a line is worth. */
type Weighing = 'seek' | 'callers' | 'heirs' | 'any';

const ROLE_WEIGHT: Readonly<Record<Weighing, Readonly<Record<LineRole, number>>>> = {
  seek: { definition: 1, heir: 1.1, call: 1, import: 0.3, comment: 1.2, text: 0.8, mention: 0.9 },
  callers: { definition: 0.5, heir: 3, call: 3, import: 0.9, comment: 0.2, text: 0.4, mention: 1.5 },
  heirs: { definition: 0.8, heir: 4, call: 0.4, import: 0.2, comment: 0.2, text: 0.2, mention: 0.5 },
  any: { definition: 1.2, heir: 1, call: 1, import: 0.8, comment: 0.8, text: 0.9, mention: 1 },
};
/** Lines around a match in which other terms count for it. */
const NEIGHBOURHOOD = 8;
/** Lines around a match in which other terms stand together with it. */
const BESIDE = 3;
const LONG_LINE = 250;

export function isStrong(term: Term): boolean {
  return term.kind === 'phrase' || term.kind === 'identifier' || term.kind === 'file' || term.kind === 'idiom';
}

/** A term that code calls something by. */
export function isName(term: Term): boolean {
  return term.kind === 'identifier' || term.kind === 'file';
}

/** The matches that concern a question, the best first; equal ones by path and line. */
export function rank(question: Question, observed: Observed): Place[] {
  const judged = observed.hits.map((hit) => ({ hit, terms: termsOn(question, hit.text) }));
  const weights = weightsOf(question.terms, judged);
  const tellers = new Map(question.terms.filter(isName).map((term) => [term, createRoleTeller(term.text)]));
  const byFile = new Map<string, Judged[]>();
  for (const entry of judged) {
    if (!entry.terms.some((term) => term.kind !== 'weak')) continue;
    const entries = byFile.get(entry.hit.path);
    if (entries) entries.push(entry);
    else byFile.set(entry.hit.path, [entry]);
  }
  const places: Place[] = [];
  for (const [path, entries] of byFile) {
    entries.sort((a, b) => a.hit.line - b.hit.line);
    const inPath = question.terms.filter((term) => term.test.test(path));
    const file = { class: classOf(path), bonus: pathBonus(inPath, path, weights), inPath };
    for (const [index, entry] of entries.entries()) {
      places.push(
        placeOf(entry, {
          question,
          weights,
          tellers,
          near: neighbours(entries, index, NEIGHBOURHOOD),
          beside: neighbours(entries, index, BESIDE),
          file,
        }),
      );
    }
  }
  return places.sort((a, b) => b.score - a.score || compareText(a.path, b.path) || a.line - b.line);
}

interface Judged {
  readonly hit: Line;
  readonly terms: readonly Term[];
}

type Weights = ReadonlyMap<Term, number>;

function termsOn(question: Question, text: string): Term[] {
  return question.terms.filter((term) => term.kind !== 'folder' && term.test.test(text));
}

/** A term weighs by its kind, and the less the more lines have it. */
function weightsOf(terms: readonly Term[], judged: readonly Judged[]): Weights {
  return new Map(
    terms.map((term) => {
      const lines = judged.reduce((sum, entry) => sum + (entry.terms.includes(term) ? 1 : 0), 0);
      return [term, TERM_WEIGHT[term.kind] / (1 + 0.3 * Math.log(1 + lines))];
    }),
  );
}

/** Terms in the file's own name count more than those of its folders. */
function pathBonus(inPath: readonly Term[], path: string, weights: Weights): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  let bonus = 0;
  for (const term of inPath) bonus += (term.test.test(name) ? 0.6 : 0.25) * Math.min(weights.get(term) ?? 0, 1);
  return bonus;
}

/** Terms of the lines close by that the line itself has not. */
function neighbours(entries: readonly Judged[], index: number, distance: number): Set<Term> {
  const found = new Set<Term>();
  const own = entries[index];
  if (!own) return found;
  for (const step of [-1, 1]) {
    for (let at = index + step; ; at += step) {
      const other = entries[at];
      if (!other || Math.abs(other.hit.line - own.hit.line) > distance) break;
      for (const term of other.terms) if (!own.terms.includes(term)) found.add(term);
    }
  }
  return found;
}

interface PlaceContext {
  readonly question: Question;
  readonly weights: Weights;
  readonly tellers: ReadonlyMap<Term, RoleTeller>;
  readonly near: ReadonlySet<Term>;
  /** Those of them that are closest. */
  readonly beside: ReadonlySet<Term>;
  readonly file: { readonly class: PathClass; readonly bonus: number; readonly inPath: readonly Term[] };
}

function placeOf({ hit, terms }: Judged, { question, weights, tellers, near, beside, file }: PlaceContext): Place {
  const standings = new Map<Term, Standing>();
  for (const term of terms) {
    const standing = tellers.get(term)?.(hit);
    if (standing) standings.set(term, standing);
  }
  const [named] = [...standings.values()].sort((a, b) => b.grade - a.grade);
  const { role, grade } = named ?? roleByWords(hit, terms);
  const sum = (list: Iterable<Term>) => [...list].reduce((total, term) => total + (weights.get(term) ?? 0), 0);
  let score = sum(terms) + 0.5 * sum(near) + file.bonus;
  score *= ROLE_WEIGHT[weighing(question.intent)][role];
  if (role === 'definition') score *= named ? 1 + grade : coverage(hit.text, terms);
  score *= classWeight(question, file.class);
  if (hit.text.length > LONG_LINE) score *= 0.4;
  const name = hit.path.slice(hit.path.lastIndexOf('/') + 1);
  const together = new Set([...terms, ...beside, ...file.inPath.filter((term) => term.test.test(name))]);
  return {
    ...hit,
    role,
    grade,
    standings,
    class: file.class,
    terms,
    near: together,
    close: new Set([...terms, ...near, ...file.inPath]),
    exact: terms.some(isStrong),
    score,
  };
}

function weighing(intent: Intent): Weighing {
  if (intent === 'callers' || intent === 'heirs') return intent;
  return intent === 'files' || intent === 'count' || intent === 'text' ? 'any' : 'seek';
}

function classWeight(question: Question, kind: PathClass): number {
  if (question.about === 'tests') return kind === 'tests' ? 1.6 : 0.6 * CLASS_WEIGHT[kind];
  if (question.about === 'docs') return kind === 'docs' ? 1.6 : 0.6 * CLASS_WEIGHT[kind];
  return CLASS_WEIGHT[kind];
}

function roleByWords(hit: Line, terms: readonly Term[]): Standing {
  if (classOf(hit.path) === 'docs') return { role: isHeading(hit.text) ? 'definition' : 'mention', grade: 1 };
  if (isComment(hit.text) || isSentence(hit.text)) return { role: 'comment', grade: 0 };
  if (isImport(hit.text)) return { role: 'import', grade: 0 };
  const defined = definedBy(hit.text);
  if (defined && terms.some((term) => term.test.test(defined.name)))
    return { role: 'definition', grade: defined.grade };
  return { role: 'mention', grade: 0 };
}

/** How well the name that a line defines is made of the question's words: parseBrief for "parse" and "brief" wholly. */
function coverage(text: string, terms: readonly Term[]): number {
  const defined = definedBy(text);
  if (!defined) return 1.2;
  const parts = partsOf(defined.name);
  const met = parts.filter((part) =>
    terms.some((term) => term.test.test(part) || stem(part).text === stem(term.text).text),
  ).length;
  const words = terms.filter((term) => term.kind !== 'weak' && term.test.test(defined.name)).length;
  const sure = defined.grade >= 2 ? 1 : 0.5;
  return 1 + sure * (met / Math.max(1, parts.length)) * (0.6 + 0.7 * words);
}

/** The words that a name is made of: `RETRY_LIMIT` and `retryLimit` alike. */
function partsOf(name: string): string[] {
  return name.split(/[_$\-.]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part.length > 1 && !isWeakWord(part));
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
