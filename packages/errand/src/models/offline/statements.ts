import { cite } from './citation.ts';
import { bodyOf, commentSentence, enclosing, guardOf } from './context.ts';
import { classOf, createRoleTeller, definedBy, type LineRole, type PathClass } from './lines.ts';
import type { Line, Observed } from './observed.ts';
import type { Question } from './question.ts';
import { compareText, isStrong, type Place } from './rank.ts';
import { shown, type Term, wholeName } from './terms.ts';

/** Sentences about what was seen, with the lines that they rest on, the strongest first. */
export interface Statement {
  readonly text: string;
  readonly evidence: readonly Line[];
  readonly risks: readonly string[];
}

const LISTED = 3;
const MANY = 1_000;
const LISTED_FILES = 6;
/** Lines below a definition that are taken to belong to it. */
const LONGEST_BODY = 150;
const ASIDE: readonly PathClass[] = ['types', 'tests', 'locales', 'examples', 'fixtures', 'generated', 'docs'];

interface NameMaterial {
  readonly places: readonly Place[];
  readonly all: readonly Place[];
  readonly names: readonly Term[];
}

/** Where names are defined, what their comments say, how often they are used, and where they meet. */
export function aboutName(question: Question, observed: Observed, { places, all, names }: NameMaterial): Statement {
  const told = names.slice(0, LISTED).map((name) => tellName(name, question, { observed, all, places }));
  const homes = told.flatMap(({ home }) => (home ? [home] : []));
  const meeting = names.length > 1 ? meetings(names, places, homes) : [];
  const texts = told.map(({ text }) => text);
  if (meeting.length > 0)
    texts.push(
      `They meet at ${listed(
        meeting.map((place) => within(observed, place)),
        LISTED,
      )}.`,
    );
  const evidence = [
    ...told.flatMap(({ lines }) => lines.slice(0, names.length > 1 ? 2 : MANY)),
    ...meeting.slice(0, LISTED),
    ...told.flatMap(({ lines }) => lines.slice(2)),
    ...told.flatMap(({ rest }) => rest),
  ];
  return { text: texts.join(' '), evidence, risks: told.flatMap(({ risks }) => risks) };
}

interface ToldName {
  readonly text: string;
  readonly home: Place | null;
  /** The definition with its comment and the lines of its body. */
  readonly lines: readonly Line[];
  /** Other definitions, and uses. */
  readonly rest: readonly Line[];
  readonly risks: readonly string[];
}

interface Material {
  readonly observed: Observed;
  readonly all: readonly Place[];
  readonly places: readonly Place[];
}

function tellName(name: Term, question: Question, { observed, all, places }: Material): ToldName {
  const own = places.filter((place) => place.terms.includes(name));
  if (own.length === 0) return { text: `${shown(name)} was not found.`, home: null, lines: [], rest: [], risks: [] };
  const definitions = definitionsOf(name, own);
  const [home] = definitions;
  const uses = own.filter((place) => !definitions.includes(place) && roleFor(name, place) !== 'comment');
  const rest = [...definitions.slice(1, LISTED), ...spread(uses, 4)];
  if (!home) {
    const text = `No definition of ${shown(name)} was seen; it stands in ${placesIn(own, observed)}, first of all ${own.slice(0, LISTED).map(cite).join(', ')}.`;
    const risk = `${shown(name)} may be defined outside of what was searched, or in a form that is not recognised.`;
    return { text, home: null, lines: [], rest, risks: [risk] };
  }
  const comment = commentSentence(observed, home);
  const usage = uses.length > 0 ? ` It stands in ${placesIn(uses, observed)} more.` : '';
  const text = `${shown(name)} is defined at ${listed(definitions.map(cite), LISTED)}.${comment.text}${usage}`;
  const lines = [home, ...comment.lines, ...bodyLines(question, observed, { definition: home, all })];
  return { text, home, lines, rest, risks: [] };
}

/** Where two names stand on one line, or one of them in the file that defines the other. */
function meetings(names: readonly Term[], places: readonly Place[], homes: readonly Place[]): Place[] {
  const on = (place: Place) => names.filter((name) => place.terms.includes(name)).length;
  const together = places.filter((place) => on(place) > 1);
  if (together.length > 0) return together;
  return places.filter((place) =>
    homes.some((home) => home.path === place.path && !place.terms.some((term) => home.terms.includes(term))),
  );
}

interface BodyMaterial {
  readonly definition: Place;
  readonly all: readonly Place[];
}

/** The lines of a body that have other words of the question; its first lines where the question asks how. */
function bodyLines(question: Question, observed: Observed, { definition, all }: BodyMaterial): Line[] {
  const words = question.terms.filter((term) => term.kind === 'word');
  const near = all.filter(
    (place) =>
      place.path === definition.path &&
      place.line !== definition.line &&
      place.terms.some((term) => words.includes(term)),
  );
  const inside = near
    .filter((place) => place.line > definition.line && place.line < definition.line + LONGEST_BODY)
    .filter((place) => place.role !== 'comment' && place.role !== 'import')
    .slice(0, 5);
  const body = bodyOf(observed, definition, question.intent === 'how' ? 8 : 2);
  return [...inside, ...(inside.length > 1 && question.intent !== 'how' ? [] : body)].sort((a, b) => a.line - b.line);
}

function roleFor(name: Term, place: Place): LineRole {
  return place.standings.get(name)?.role ?? place.role;
}

/** The surest definitions; those in tests, examples or output only when there are no others. */
function definitionsOf(name: Term, places: readonly Place[]): Place[] {
  const found = places.filter((place) => roleFor(name, place) === 'definition' && place.class !== 'docs');
  const gradeOf = (place: Place) => place.standings.get(name)?.grade ?? 0;
  const surest = Math.max(0, ...found.map(gradeOf));
  const sure = found.filter((place) => gradeOf(place) >= Math.min(surest, 2));
  const own = sure.filter((place) => !ASIDE.includes(place.class));
  return spread(own.length > 0 ? own : sure, MANY);
}

/** Who calls or uses names. */
export function aboutCallers(observed: Observed, places: readonly Place[], names: readonly Term[]): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  const definitions: Line[] = [];
  for (const name of names.slice(0, 2)) {
    const own = places.filter((place) => place.terms.includes(name));
    const calls = own.filter((place) => roleFor(name, place) === 'call');
    const uses =
      calls.length > 0 ? calls : own.filter((place) => roleFor(name, place) === 'mention' && place.class !== 'docs');
    const verb = calls.length > 0 ? 'called' : 'used';
    const defined = definitionsOf(name, own);
    const imports = own.filter((place) => roleFor(name, place) === 'import');
    const inCode = uses.filter((place) => !ASIDE.includes(place.class));
    const aside = uses.filter((place) => ASIDE.includes(place.class));
    const main = inCode.length > 0 ? inCode : aside;
    const where = main.slice(0, 6).map((place) => within(observed, place));
    if (main.length > 0) {
      const more = main.length > where.length ? `, and ${main.length - where.length} more` : '';
      const tests =
        inCode.length > 0 && aside.length > 0
          ? ` Tests, examples and documents have it in ${placesIn(aside, observed)}.`
          : '';
      texts.push(`${shown(name)} is ${verb} in ${placesIn(main, observed)}: ${where.join(', ')}${more}.${tests}`);
    } else if (imports.length > 0) {
      texts.push(`No call of ${shown(name)} was found; it is imported at ${listed(imports.map(cite), LISTED)}.`);
    } else {
      texts.push(
        `No call of ${shown(name)} was found${own.length > 0 ? `; it stands at ${listed(own.map(cite), LISTED)}` : ''}.`,
      );
    }
    if (defined[0]) texts.push(`It is defined at ${listed(defined.map(cite), 2)}.`);
    evidence.push(...(main.length > 0 ? main.slice(0, 10) : [...imports, ...own].slice(0, 5)));
    definitions.push(...defined.slice(0, 1));
  }
  return { text: texts.join(' '), evidence: [...definitions, ...evidence], risks: [] };
}

/** Where quotations stand, within what, under which condition, and who calls that. */
export function aboutPhrase(observed: Observed, places: readonly Place[], phrases: readonly Term[]): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  for (const phrase of phrases.slice(0, LISTED)) {
    const own = places.filter((place) => place.terms.includes(phrase));
    const [best] = own;
    if (!best) {
      texts.push(`${capital(shown(phrase))} was not found.`);
      continue;
    }
    if (phrase.kind === 'idiom') {
      const apart = spread(own, 10);
      texts.push(
        `${capital(phrase.text)}: ${placesIn(own, observed)}: ${listed(
          apart.map((place) => within(observed, place)),
          4,
        )}.`,
      );
      evidence.push(...apart);
      continue;
    }
    const guard = guardOf(observed, best);
    const around = enclosing(observed, best);
    const comment = around ? commentSentence(observed, around) : { text: '', lines: [] };
    const callers = around ? callsOf(observed, around) : [];
    const more = own.length > 1 ? `; in all in ${placesIn(own, observed)}` : '';
    texts.push(
      `${shown(phrase)} stands at ${within(observed, best)}${more}.${comment.text}${guard ? ` What leads there is decided at ${cite(guard)}.` : ''}${callers.length > 0 ? ` \`${around?.name}\` is called at ${listed(callers.map(cite), LISTED)}.` : ''}`,
    );
    evidence.push(
      best,
      ...(guard ? [guard] : []),
      ...(around ? [around] : []),
      ...comment.lines,
      ...callers.slice(0, 3),
      ...spread(own.slice(1), 4),
    );
  }
  return { text: texts.join(' '), evidence, risks: [] };
}

/** The seen matches that call what `around` defines. */
function callsOf(observed: Observed, around: Line & { readonly name: string }): Line[] {
  const teller = createRoleTeller(around.name);
  const name = wholeName(around.name);
  return observed.hits.filter(
    (hit) => name.test(hit.text) && teller(hit).role === 'call' && classOf(hit.path) === 'source',
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface FileMaterial {
  readonly places: readonly Place[];
  readonly named: readonly string[];
}

/** Which files have the terms, those with the most of them first; and files that are named so. */
export function aboutFiles(question: Question, observed: Observed, { places, named }: FileMaterial): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  if (named.length > 0) {
    texts.push(`${named.length === 1 ? 'A file is' : 'Files are'} named so: ${listed(named.map(path), LISTED)}.`);
    for (const file of named.slice(0, 2)) evidence.push(...headOf(observed, file));
  }
  const files = filesOf(question, places);
  if (files.length > 0) {
    const terms = question.terms.filter((term) => files[0]?.terms.has(term) && term.kind !== 'weak').map(shown);
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
function filesOf(question: Question, places: readonly Place[]): FileOfTerms[] {
  const byFile = new Map<string, Place[]>();
  const concerned = question.about === null ? places : places.filter((place) => place.class === question.about);
  for (const place of concerned.length > 0 ? concerned : places) {
    const list = byFile.get(place.path);
    if (list) list.push(place);
    else byFile.set(place.path, [place]);
  }
  const files = [...byFile.values()].flatMap((list) => {
    const richest = Math.max(...list.map((place) => worth(place.close)));
    const [best] = list
      .filter((place) => worth(place.close) === richest)
      .sort((a, b) => worth(new Set(b.terms)) - worth(new Set(a.terms)) || b.score - a.score || a.line - b.line);
    return best ? [{ best, terms: best.close, lines: list.length }] : [];
  });
  const most = Math.max(0, ...files.map((file) => worth(file.terms)));
  const richest = files.filter((file) => worth(file.terms) === most);
  // For mere words, files that have them only in passing are left out.
  const least = question.terms.some(isStrong) ? 0 : 0.2 * Math.max(0, ...richest.map(weightOf));
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

/** The places where the words of a question stand closest together. */
export function aboutWords(question: Question, observed: Observed, places: readonly Place[]): Statement {
  const best = apart(places, 4);
  const [first] = best;
  if (!first) return { text: '', evidence: [], risks: [] };
  const evidence: Line[] = [];
  const sentences = best.map((place, index) => {
    const around = place.role === 'definition' ? null : enclosing(observed, place);
    const home: Line = around ?? place;
    const comment = place.role === 'definition' || around ? commentSentence(observed, home) : { text: '', lines: [] };
    evidence.push(...(around ? [around] : []), ...(index < 2 ? comment.lines : []), place);
    if (place.role === 'definition' && index === 0) evidence.push(...bodyOf(observed, place, 3));
    return `${within(observed, place)}${index === 0 ? `.${comment.text}` : ''}`;
  });
  const [head = '', ...others] = sentences;
  const further = others.length > 0 ? ` Next: ${others.join(', ')}.` : '';
  const far = question.terms.filter((term) => term.kind === 'word' && !first.close.has(term));
  const missing = far.length > 0 ? ` Not close to it: ${far.map(shown).join(', ')}.` : '';
  return { text: `The closest match is ${head}${missing}${further}`, evidence, risks: [] };
}

/** The best places, no two of them close together, three of one file at most. */
function apart(places: readonly Place[], most: number): Place[] {
  const taken: Place[] = [];
  const least = (places[0]?.score ?? 0) * 0.35;
  for (const place of places) {
    if (taken.length >= most || place.score < least) break;
    const same = taken.filter((other) => other.path === place.path);
    if (same.length < 2 && same.every((other) => Math.abs(other.line - place.line) > 10)) taken.push(place);
  }
  return taken;
}

/** At most `most` places, of different files before more of the same. */
function spread(places: readonly Place[], most: number): Place[] {
  const first = places.filter((place, index) => places.findIndex((other) => other.path === place.path) === index);
  return [...first, ...places.filter((place) => !first.includes(place))].slice(0, most);
}

/** "`name` (path:line)" where it is known within what a place stands. */
function within(observed: Observed, place: Place): string {
  if (place.role === 'definition') {
    const name = definedBy(place.text)?.name;
    return name ? `\`${name}\` (${cite(place)})` : cite(place);
  }
  const around = enclosing(observed, place);
  return around ? `${cite(place)} in \`${around.name}\`` : cite(place);
}

function placesIn(places: readonly Place[], observed: Observed): string {
  const files = new Set(places.map((place) => place.path)).size;
  const count = places.length === 1 ? 'one place' : `${places.length} places`;
  return `${atLeast(observed)}${count}${files === 1 || places.length === 1 ? '' : ` in ${files} files`}`;
}

/** Counts are lower bounds once a search was cut. */
function atLeast(observed: Observed): string {
  return observed.cut ? 'at least ' : '';
}

function listed(items: readonly string[], most: number): string {
  const more = items.length - most;
  return more > 0 ? `${items.slice(0, most).join(', ')} and ${more} more` : items.join(', ');
}

function path(name: string): string {
  return /^[\w./@+-]+$/u.test(name) ? name : `\`${name}\``;
}
