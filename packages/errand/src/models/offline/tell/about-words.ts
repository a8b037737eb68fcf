import type { Question } from '../ask/question.ts';
import { shown } from '../ask/terms.ts';
import { bodyOf, commentSentence, enclosing } from '../look/context.ts';
import type { Line, Observed } from '../look/observed.ts';
import type { Place } from '../look/rank.ts';
import { type Statement, within } from './wording.ts';

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
    evidence.push(
      ...[...(around ? [around] : []), ...(index < 2 ? comment.lines : []), place].sort((a, b) => a.line - b.line),
    );
    if (place.role === 'definition' && index === 0) evidence.push(...bodyOf(observed, place, 3));
    return `${within(observed, place)}${index === 0 ? `.${comment.text}` : ''}`;
  });
  const [head = '', ...others] = sentences;
  const further = others.length > 0 ? ` Next: ${others.join(', ')}.` : '';
  const far = question.terms.filter((term) => term.kind === 'word' && !first.close.has(term));
  const alone = far.length > 0 && far.length >= question.terms.filter((term) => term.kind === 'word').length - 1;
  const missing = far.length > 0 && !alone ? ` Not close to it: ${far.map(shown).join(', ')}.` : '';
  const together = alone
    ? `The words of the question stand nowhere together (not close to the best match: ${far.map(shown).join(', ')}). `
    : '';
  return { text: `${together}The closest match is ${head}${missing}${further}`, evidence, risks: [] };
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
