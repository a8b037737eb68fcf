import type { Question } from '../ask/question.ts';
import { escapePattern, partsOfName, type Term } from '../ask/terms.ts';
import { stem } from '../ask/words.ts';
import type { Scope } from '../turn.ts';
import { find, read, type SearchFor, search, type Wanted } from './calls.ts';
import { enclosing } from './context.ts';
import { definitionPattern, heirPattern } from './lines.ts';
import type { Line, Observed } from './observed.ts';
import { classOf } from './path-class.ts';
import { isStrong, type Place } from './rank.ts';

const MOST_NAMES = 4;
const MOST_FOLDERS_IN_GLOB = 12;
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
  const wanted = strong.flatMap((term) => searchesFor(term, within, question.intent === 'heirs'));
  const words = wordsOf(question);
  if (strong.length === 0) wanted.push(...wordSearches(words, within));
  else if (words.length > 0) wanted.push(...everywhere(pairSearch(strong, words), within));
  return wanted;
}

/** When the first step found nothing: other spellings, any case, single words, names of files. */
export function widerSearches(question: Question, scope: Scope): Wanted[] {
  const wanted: Wanted[] = [];
  for (const variant of question.terms.filter((term) => term.kind === 'variant').slice(0, MOST_NAMES)) {
    const parts = partsOfName(variant.text);
    const longest = [...parts].sort((a, b) => b.length - a.length)[0] ?? '';
    wanted.push(...everywhere({ pattern: variant.pattern, ignoreCase: true }, scope));
    if (longest.length > 3) wanted.push(...finds(longest, scope));
    if (parts.length > 1) {
      const pattern = pairsPattern(parts.map((part) => escapePattern(stem(part).text)));
      wanted.push(...everywhere({ pattern, ignoreCase: true }, scope));
    }
  }
  for (const phrase of question.terms.filter((term) => term.kind === 'phrase').slice(0, MOST_NAMES)) {
    wanted.push(...everywhere({ pattern: phrase.text, fixed: true, ignoreCase: true }, scope));
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
    const from = Math.max(1, place.line - (isCall ? 5 * AROUND : AROUND));
    const to = place.line + (place.role === 'definition' ? BODY : AROUND);
    if (!isKnown(observed, place, Math.min(place.line + 2, to))) wanted.push(read(place.path, from, to));
  }
  return wanted;
}

function isKnown(observed: Observed, place: Line, to: number): boolean {
  const lines = observed.seen.get(place.path);
  return lines !== undefined && [place.line - 1, place.line + 1, to].every((line) => line < 1 || lines.has(line));
}

function searchesFor(term: Term, scope: Scope, heirs: boolean): Wanted[] {
  if (term.kind === 'idiom') return everywhere({ pattern: term.pattern }, scope);
  if (term.kind === 'phrase') return everywhere({ pattern: term.text, fixed: true }, scope);
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
    ...(heirs ? everywhere({ pattern: heirPattern(escapePattern(last)) }, scope) : []),
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

function finds(name: string, scope: Scope, exact = false): Wanted[] {
  const tail = name.slice(name.lastIndexOf('/') + 1);
  const glob = exact ? escapeGlob(tail) : `*${anyCase(tail)}*`;
  const { path, within } = targetOf(scope);
  // A glob has room for so many folders only; what lies outside the scope is left out afterwards.
  if (scope.paths.length + scope.shallow.length > MOST_FOLDERS_IN_GLOB) return [find(`**/${glob}`, path)];
  return [find(within === undefined ? `**/${glob}` : within(glob), path)];
}

function anyCase(name: string): string {
  const first = name.charAt(0);
  return /^\p{L}$/u.test(first)
    ? `[${first.toLowerCase()}${first.toUpperCase()}]${escapeGlob(name.slice(1))}`
    : escapeGlob(name);
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]{}!,\\]/gu, '\\$&');
}

function everywhere(what: SearchFor, scope: Scope): Wanted[] {
  const { path, within } = targetOf(scope);
  return [search({ ...what, path, glob: within?.('*') })];
}

interface Target {
  /** The folder that holds all of the scope. */
  readonly path: string | undefined;
  /** Where the scope is a part of that folder: the pattern, read from there, of the files with a given name in it. */
  readonly within: ((name: string) => string) | undefined;
}

/** One place to look, so that a scope of many folders costs no more calls than one. */
function targetOf({ paths, shallow }: Scope): Target {
  const all = [...paths, ...shallow];
  const [first] = paths;
  if (all.length === 0) return { path: undefined, within: undefined };
  if (all.length === 1 && first !== undefined) return { path: first, within: undefined };
  const base = commonFolder(all);
  const below = (path: string) => escapeGlob(base === '' ? path : path.slice(base.length + 1));
  const parts = [
    ...shallow.map((path) => (path === base ? '' : `${below(path)}/`)),
    ...paths.map((path) => `${below(path)}/**/`),
  ];
  return {
    path: base || undefined,
    within: (name) => (parts.length === 1 ? `/${parts[0]}${name}` : `/{${parts.map((part) => part + name).join(',')}}`),
  };
}

/** The deepest folder that holds them all; empty for the workspace. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => path.split('/').filter((part) => part !== ''));
  // A folder that is one of them and holds the others is read from itself.
  const end = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return (end < 0 ? first : first.slice(0, end)).join('/');
}

/** A folder that the question names narrows the first step, unless the task does so already. */
function folderOf(question: Question, scope: Scope): Scope {
  const folder = question.terms.find((term) => term.kind === 'folder');
  return folder && scope.paths.length === 0 && scope.shallow.length === 0
    ? { paths: [folder.text], shallow: [] }
    : scope;
}
