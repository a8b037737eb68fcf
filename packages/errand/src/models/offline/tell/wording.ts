import type { Term } from '../ask/terms.ts';
import { enclosing } from '../look/context.ts';
import { definedBy, type LineRole } from '../look/lines.ts';
import type { Line, Observed } from '../look/observed.ts';
import type { PathClass } from '../look/path-class.ts';
import type { Place } from '../look/rank.ts';
import { cite } from './citation.ts';

/** Sentences about what was seen, with the lines that they rest on, the strongest first. */
export interface Statement {
  readonly text: string;
  readonly evidence: readonly Line[];
  readonly risks: readonly string[];
}

export const LISTED = 3;
/** As good as no limit. */
export const MANY = 1_000;
/** Kinds of files that are told of apart from the source. */
export const ASIDE: readonly PathClass[] = ['types', 'tests', 'locales', 'examples', 'fixtures', 'generated', 'docs'];

export function roleFor(name: Term, place: Place): LineRole {
  return place.standings.get(name)?.role ?? place.role;
}

/** The surest definitions; those in tests, examples or output only when there are no others. */
export function definitionsOf(name: Term, places: readonly Place[]): Place[] {
  const found = places.filter((place) => roleFor(name, place) === 'definition' && place.class !== 'docs');
  const own = found.filter((place) => !ASIDE.includes(place.class));
  const concerned = own.length > 0 ? own : found;
  const gradeOf = (place: Place) => place.standings.get(name)?.grade ?? 0;
  const surest = Math.max(0, ...concerned.map(gradeOf));
  return spread(
    concerned.filter((place) => gradeOf(place) >= Math.min(surest, 2)),
    MANY,
  );
}

/** At most `most` places, of different files before more of the same. */
export function spread(places: readonly Place[], most: number): Place[] {
  const first = places.filter((place, index) => places.findIndex((other) => other.path === place.path) === index);
  return [...first, ...places.filter((place) => !first.includes(place))].slice(0, most);
}

/** "`name` (path:line)" where it is known within what a place stands. */
export function within(observed: Observed, place: Place): string {
  const told = observed.told?.get(`${place.path}:${place.line}`)?.inside;
  if (place.role === 'definition') {
    const name = told ?? definedBy(place.text)?.name;
    return name ? `\`${name}\` (${cite(place)})` : cite(place);
  }
  const around = told ? { name: told } : enclosing(observed, place);
  return around ? `${cite(place)} in \`${around.name}\`` : cite(place);
}

export function placesIn(places: readonly Place[], observed: Observed): string {
  const files = new Set(places.map((place) => place.path)).size;
  const count = places.length === 1 ? 'one place' : `${places.length} places`;
  return `${atLeast(observed)}${count}${files === 1 || places.length === 1 ? '' : ` in ${files} files`}`;
}

/** Counts are lower bounds once a search was cut. */
export function atLeast(observed: Observed): string {
  return observed.cut ? 'at least ' : '';
}

export function listed(items: readonly string[], most: number): string {
  const more = items.length - most;
  return more > 0 ? `${items.slice(0, most).join(', ')} and ${more} more` : items.join(', ');
}

/** Parts of the workspace in words. */
export function partsShown(scopes: readonly string[]): string {
  return listed(
    scopes.map((scope) => {
      const own = /^(.*?)\/?\*$/u.exec(scope)?.[1]?.replace(/^\.$/u, '');
      if (own === undefined) return `\`${scope.replace(/\/$/u, '')}/\``;
      return own === '' ? 'the files at the top' : `the files right in \`${own}/\``;
    }),
    4,
  );
}

/** What searches pass over, in the words of an answer whose counts depend on it. */
export function notSearched(cwd: string): string {
  const inside = /(?:^|\/)node_modules(?:\/|$)/u.test(cwd)
    ? ' This workspace lies inside `node_modules`, and the .gitignore files of the folders above it count here too: where they name `dist`, built files of packages may have been left out.'
    : '';
  return `Files that .gitignore leaves out were not searched.${inside}`;
}

/** Whether a statement counts or denies, so that what was not searched matters. */
export function countsOrDenies(text: string): boolean {
  return /\b(?:places?|files?|lines?|nothing|nowhere|none|no|not found)\b/iu.test(text);
}

export function pathShown(name: string): string {
  return /^[\w./@+-]+$/u.test(name) ? name : `\`${name}\``;
}
