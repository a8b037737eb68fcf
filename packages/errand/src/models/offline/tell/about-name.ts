import type { Question } from '../ask/question.ts';
import { shown, type Term } from '../ask/terms.ts';
import { bodyOf, commentSentence } from '../look/context.ts';
import type { Line, Observed } from '../look/observed.ts';
import type { Place } from '../look/rank.ts';
import { cite } from './citation.ts';
import { definitionsOf, LISTED, listed, MANY, placesIn, roleFor, type Statement, spread, within } from './wording.ts';

/** Lines below a definition that are taken to belong to it. */
const LONGEST_BODY = 150;

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
