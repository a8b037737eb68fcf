import { find, read, type SearchFor, search, type Wanted } from './calls.ts';
import { enclosing } from './context.ts';
import { classOf, definitionPattern } from './lines.ts';
import type { Line, Observed } from './observed.ts';
import type { Question } from './question.ts';
import { isStrong, type Place } from './rank.ts';
import { escapePattern, type Term } from './terms.ts';
import type { Scope } from './turn.ts';
import { stem } from './words.ts';

const MOST_NAMES = 4;
const MOST_WORDS = 5;
const AROUND = 8;
/** Lines read below a definition. */
const BODY = 24;
const MOST_READS = 4;
const MOST_CALLER_READS = 6;

/** The first step: every strong term as it stands; words in pairs, in definitions, alone and in names of files. */
export function firstSearches(question: Question, scope: Scope): Wanted[] {
  const strong = question.terms.filter(isStrong).slice(0, MOST_NAMES);
  const within = folderOf(question, scope);
  const wanted = strong.flatMap((term) => searchesFor(term, within));
  const words = wordsOf(question);
  if (strong.length === 0) wanted.push(...wordSearches(words, within));
  else if (words.length > 0) wanted.push(...everywhere(pairSearch(strong, words), within));
  return wanted;
}

/** When the first step found nothing: other spellings, parts of quotations, any case, names of files. */
export function widerSearches(question: Question, scope: Scope): Wanted[] {
  const wanted: Wanted[] = [];
  for (const term of question.terms.filter(isStrong).slice(0, MOST_NAMES)) {
    if (term.kind === 'idiom') continue;
    const parts = term.kind === 'phrase' ? [] : partsFor(term);
    if (parts.length > 0)
      wanted.push(...everywhere({ pattern: parts.map(escapePattern).join('[-_. ]?'), ignoreCase: true }, scope));
    for (const piece of term.kind === 'phrase' ? piecesOf(term.text) : []) {
      wanted.push(...everywhere({ pattern: piece, fixed: true, ignoreCase: true }, scope));
    }
    const longest = [...parts].sort((a, b) => b.length - a.length)[0];
    if (longest && longest.length > 3) wanted.push(...finds(longest, scope));
    if (parts.length > 1)
      wanted.push(
        ...everywhere(
          { pattern: pairsPattern(parts.map((part) => escapePattern(stem(part).text))), ignoreCase: true },
          scope,
        ),
      );
  }
  const words = question.terms.filter((term) => term.kind === 'word');
  if (words.length > 0) wanted.push(...wordSearches(words.slice(0, MOST_WORDS), scope));
  return wanted;
}

/** Once a definition is known: where its file has the other words of the question, and who calls it close by when there were too many matches. */
export function focusSearches(question: Question, places: readonly Place[], observed: Observed): Wanted[] {
  const words = wordsOf(question);
  const home = places.find((place) => place.role === 'definition' && place.exact && place.class === 'source');
  if (!home) return [];
  const wanted =
    words.length > 0
      ? [search({ pattern: words.map((term) => term.pattern).join('|'), ignoreCase: true, path: home.path })]
      : [];
  const name =
    question.intent === 'callers' && observed.cut ? home.terms.find((term) => term.kind === 'identifier') : undefined;
  if (!name) return wanted;
  const folders = home.path
    .split('/')
    .slice(0, -1)
    .map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  return [
    ...wanted,
    ...folders.slice(-2).map((path) => search({ pattern: name.text, fixed: true, wholeWord: true, path })),
  ];
}

/** Once a message was found: who calls the function that it stands in. */
export function callerSearches(question: Question, places: readonly Place[], observed: Observed): Wanted[] {
  const [best] = places;
  if (question.intent !== 'text' || !best || best.role === 'definition') return [];
  const around = enclosing(observed, best);
  return around && classOf(best.path) === 'source'
    ? [search({ pattern: around.name, fixed: true, wholeWord: true })]
    : [];
}

/** The best places that are not known yet, with the lines around them. */
export function reads(question: Question, places: readonly Place[], observed: Observed): Wanted[] {
  const wanted: Wanted[] = [];
  const taken: Line[] = [];
  const most =
    question.intent === 'callers' || question.terms.some((term) => term.kind === 'idiom')
      ? MOST_CALLER_READS
      : MOST_READS;
  for (const place of places) {
    if (wanted.length >= most) break;
    if (taken.some((other) => other.path === place.path && Math.abs(other.line - place.line) <= 2 * AROUND)) continue;
    if (taken.filter((other) => other.path === place.path).length >= (most === MOST_READS ? 2 : most)) continue;
    taken.push(place);
    const isCall = question.intent === 'callers' || question.intent === 'text';
    const from = Math.max(1, place.line - (isCall ? 3 * AROUND : AROUND));
    const to = place.line + (place.role === 'definition' ? BODY : AROUND);
    if (!isKnown(observed, place, Math.min(place.line + 2, to))) wanted.push(read(place.path, from, to));
  }
  return wanted;
}

function isKnown(observed: Observed, place: Line, to: number): boolean {
  const lines = observed.seen.get(place.path);
  return lines !== undefined && [place.line - 1, place.line + 1, to].every((line) => line < 1 || lines.has(line));
}

function searchesFor(term: Term, scope: Scope): Wanted[] {
  if (term.kind === 'idiom') return everywhere({ pattern: term.pattern }, scope);
  if (term.kind === 'phrase') {
    const pieces = piecesOf(term.text).filter((piece) => piece !== term.text);
    return [term.text, ...pieces].flatMap((text) => everywhere({ pattern: text, fixed: true }, scope));
  }
  if (term.kind === 'file') {
    const name = term.text.slice(term.text.lastIndexOf('/') + 1);
    return [...finds(term.text, scope, true), ...everywhere({ pattern: name, fixed: true }, scope)];
  }
  const last =
    term.text
      .split(/\.|::|->|#/u)
      .filter(Boolean)
      .at(-1) ?? term.text;
  return [
    ...everywhere({ pattern: term.text, fixed: true, wholeWord: true }, scope),
    ...everywhere({ pattern: definitionPattern([escapePattern(last)], false) }, scope),
    ...(last === term.text ? [] : everywhere({ pattern: last, fixed: true, wholeWord: true }, scope)),
  ];
}

function wordSearches(words: readonly Term[], scope: Scope): Wanted[] {
  const patterns = words.map((term) => term.pattern);
  const inDefinitions = patterns.slice(0, 3).map((pattern) => definitionPattern([pattern.replace(/^\\b/u, '')], true));
  return [
    ...(patterns.length > 1 ? everywhere({ pattern: pairsPattern(patterns), ignoreCase: true }, scope) : []),
    // One by one, so that a common word does not use up the limit of a rare one.
    ...inDefinitions.flatMap((pattern) => everywhere({ pattern, ignoreCase: true }, scope)),
    ...words.slice(0, 3).flatMap((term) => finds(beginningOf(term), scope)),
    ...patterns.flatMap((pattern) => everywhere({ pattern, ignoreCase: true }, scope)),
  ];
}

/** The letters that the name of a file about a word would have. */
function beginningOf(term: Term): string {
  return /^[a-z]{3,}/iu.exec(term.pattern.replace(/^\(\?:/u, ''))?.[0] ?? stem(term.text).text;
}

/** Lines that have a strong term and one of the words. */
function pairSearch(strong: readonly Term[], words: readonly Term[]): SearchFor {
  const alternatives = strong.flatMap((term) =>
    words.map((word) => `${term.pattern}.*${word.pattern}|${word.pattern}.*${term.pattern}`),
  );
  return { pattern: alternatives.slice(0, 12).join('|'), ignoreCase: true };
}

/** Lines that have two of the patterns, in any order. */
function pairsPattern(patterns: readonly string[]): string {
  return patterns.flatMap((a, index) => patterns.slice(index + 1).map((b) => `${a}.*${b}|${b}.*${a}`)).join('|');
}

/** The rarest words first; long words are rarer. */
function wordsOf(question: Question): Term[] {
  const words = question.terms.filter((term) => term.kind === 'word');
  return [...words].sort((a, b) => b.text.length - a.text.length).slice(0, MOST_WORDS);
}

/** The fixed parts of a message that was put together: numbers, quotations, paths and names in it differ from call to call. */
export function piecesOf(phrase: string): string[] {
  return phrase
    .split(/\d+|["'`“”«»<>{}$]+[^"'`“”«»<>{}$]*["'`“”«»<>{}$]+|\S*[/\\]\S*|: /u)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= 8)
    .sort((a, b) => b.length - a.length)
    .slice(0, 2);
}

/** The words of a name, for its other spellings. */
function partsFor(term: Term): string[] {
  const bare =
    term.kind === 'file' ? term.text.slice(term.text.lastIndexOf('/') + 1).replace(/\.\w+$/u, '') : term.text;
  return bare.split(/[^\p{L}\p{N}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((part) => part !== '');
}

function finds(name: string, scope: Scope, exact = false): Wanted[] {
  const tail = name.slice(name.lastIndexOf('/') + 1);
  const glob = exact ? escapeGlob(tail) : `*${anyCase(tail)}*`;
  return targetsOf(scope).map(({ path, shallow }) => find(shallow ? `/${glob}` : `**/${glob}`, path));
}

function anyCase(name: string): string {
  const first = name.charAt(0);
  return /^\p{L}$/u.test(first)
    ? `[${first.toLowerCase()}${first.toUpperCase()}]${escapeGlob(name.slice(1))}`
    : escapeGlob(name);
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{}()!\\]/gu, '?');
}

function everywhere(what: SearchFor, scope: Scope): Wanted[] {
  return targetsOf(scope).map(({ path, shallow }) => search({ ...what, path, glob: shallow ? '/*' : undefined }));
}

interface Target {
  readonly path: string | undefined;
  /** Only the files right in it; a pattern with a slash is read from the folder that is searched. */
  readonly shallow: boolean;
}

function targetsOf({ paths, shallow }: Scope): Target[] {
  const targets = [
    ...shallow.map((path) => ({ path, shallow: true })),
    ...paths.map((path) => ({ path, shallow: false })),
  ];
  return (targets.length > 0 ? targets : [{ path: '', shallow: false }]).map((target) => ({
    ...target,
    path: target.path || undefined,
  }));
}

/** A folder that the question names narrows the first step, unless the task does so already. */
function folderOf(question: Question, scope: Scope): Scope {
  const folder = question.terms.find((term) => term.kind === 'folder');
  return folder && scope.paths.length === 0 && scope.shallow.length === 0
    ? { paths: [folder.text], shallow: [] }
    : scope;
}
