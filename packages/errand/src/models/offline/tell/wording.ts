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
  const gradeOf = (place: Place) => place.standings.get(name)?.grade ?? 0;
  const surest = Math.max(0, ...found.map(gradeOf));
  const sure = found.filter((place) => gradeOf(place) >= Math.min(surest, 2));
  const own = sure.filter((place) => !ASIDE.includes(place.class));
  return spread(own.length > 0 ? own : sure, MANY);
}

/** At most `most` places, of different files before more of the same. */
export function spread(places: readonly Place[], most: number): Place[] {
  const first = places.filter((place, index) => places.findIndex((other) => other.path === place.path) === index);
  return [...first, ...places.filter((place) => !first.includes(place))].slice(0, most);
}

/** "`name` (path:line)" where it is known within what a place stands. */
export function within(observed: Observed, place: Place): string {
  if (place.role === 'definition') {
    const name = definedBy(place.text)?.name;
    return name ? `\`${name}\` (${cite(place)})` : cite(place);
  }
  const around = enclosing(observed, place);
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

export function pathShown(name: string): string {
  return /^[\w./@+-]+$/u.test(name) ? name : `\`${name}\``;
}
