import { shown, type Term, wholeName } from '../ask/terms.ts';
import { commentSentence, enclosing, guardOf } from '../look/context.ts';
import { createRoleTeller } from '../look/lines.ts';
import type { Line, Observed } from '../look/observed.ts';
import { classOf } from '../look/path-class.ts';
import type { Place } from '../look/rank.ts';
import { cite } from './citation.ts';
import { LISTED, listed, MANY, placesIn, type Statement, spread, within } from './wording.ts';

/** Where quotations stand, within what, under which condition, and who calls that. */
export function aboutPhrase(observed: Observed, places: readonly Place[], phrases: readonly Term[]): Statement {
  const texts: string[] = [];
  const evidence: Line[] = [];
  for (const phrase of phrases.slice(0, LISTED)) {
    const own = places.filter((place) => place.terms.includes(phrase));
    const [best] = own;
    if (!best) {
      texts.push(`${capital(shown(phrase))} was not found as it stands.`);
      continue;
    }
    if (phrase.kind === 'idiom') {
      const apart = spread(own, MANY);
      texts.push(
        `${capital(phrase.text)}: ${placesIn(own, observed)}: ${listed(
          apart.map((place) => within(observed, place)),
          4,
        )}.`,
      );
      evidence.push(...apart.slice(0, 10));
      continue;
    }
    const told = observed.told?.get(`${best.path}:${best.line}`);
    const guard = guardOf(observed, best);
    const around = enclosing(observed, best);
    const comment =
      told || around ? commentSentence(observed, told ? best : (around ?? best)) : { text: '', lines: [] };
    const callers = around ? callsOf(observed, around) : [];
    const more = own.length > 1 ? `; in all in ${placesIn(own, observed)}` : '';
    texts.push(
      `${shown(phrase)} stands at ${within(observed, best)}${more}.${comment.text}${told?.tail ?? ''}${guard ? ` What leads there is decided at ${cite(guard)}.` : ''}${callers.length > 0 ? ` \`${around?.name}\` is called at ${listed(callers.map(cite), LISTED)}.` : ''}`,
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
