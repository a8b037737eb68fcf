import { shown, type Term } from '../ask/terms.ts';
import { definedBy } from '../look/lines.ts';
import type { Line, Observed } from '../look/observed.ts';
import type { Place } from '../look/rank.ts';
import { cite } from './citation.ts';
import { ASIDE, definitionsOf, LISTED, listed, placesIn, roleFor, type Statement, within } from './wording.ts';

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

/** What implements or extends names. */
export function aboutHeirs(observed: Observed, places: readonly Place[], names: readonly Term[]): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  for (const name of names.slice(0, 2)) {
    const own = places.filter((place) => place.terms.includes(name));
    const heirs = own.filter((place) => roleFor(name, place) === 'heir');
    const [home] = definitionsOf(name, own);
    if (heirs.length === 0) {
      const at = home ? ` It is defined at ${cite(home)}.` : '';
      texts.push(`Nothing that extends or implements ${shown(name)} was seen.${at}`);
      evidence.push(...(home ? [home] : own.slice(0, LISTED)));
      continue;
    }
    const shownHeirs = heirs.map((place) => {
      const told = observed.told?.get(`${place.path}:${place.line}`)?.inside;
      return `\`${told ?? definedBy(place.text)?.name ?? place.text.trim().slice(0, 60)}\` (${cite(place)})`;
    });
    texts.push(`${shown(name)} is implemented or extended in ${placesIn(heirs, observed)}: ${listed(shownHeirs, 6)}.`);
    if (home) texts.push(`It is defined at ${cite(home)}.`);
    evidence.push(...heirs.slice(0, 10), ...(home ? [home] : []));
  }
  return { text: texts.join(' '), evidence, risks: [] };
}
