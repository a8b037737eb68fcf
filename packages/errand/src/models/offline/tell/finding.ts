import type { Question } from '../ask/question.ts';
import { shown } from '../ask/terms.ts';
import type { Line, Observed } from '../look/observed.ts';
import { classOf } from '../look/path-class.ts';
import { isName, isStrong, type Place, rank } from '../look/rank.ts';
import { aboutCallers, aboutHeirs } from './about-callers.ts';
import { aboutFiles } from './about-files.ts';
import { aboutName } from './about-name.ts';
import { aboutPhrase } from './about-phrase.ts';
import { aboutWords } from './about-words.ts';
import type { Statement } from './wording.ts';

/** What was found out about one question. */
export interface Finding {
  readonly question: Question;
  /** `loose`: other spellings or single words only. */
  readonly found: 'exact' | 'loose' | 'nothing';
  /** One to three sentences that say no more than the evidence. */
  readonly summary: string;
  readonly evidence: readonly Line[];
  readonly risks: readonly string[];
}

/** States what the seen lines say about a question. */
export function findingOf(question: Question, observed: Observed, most: number): Finding {
  return findingIn(question, observed, { places: rank(question, observed), most });
}

interface Ranked {
  readonly places: readonly Place[];
  /** Lines of evidence. */
  readonly most: number;
}

/** The same from places that were ranked already. */
export function findingIn(question: Question, observed: Observed, { places, most }: Ranked): Finding {
  const strong = question.terms.filter(isStrong);
  const exact = strong.length > 0 ? places.filter((place) => place.exact) : places;
  const named = filesNamed(question, observed);
  const statement = state(question, observed, { places: exact, all: places, named });
  if (statement) {
    const found = strong.length > 0 || isClose(question, exact) || named.length > 0 ? 'exact' : 'loose';
    const risks = found === 'loose' ? ['Only single words of the question were found, not together.'] : [];
    return finish(
      { question, found, summary: statement.text, risks: [...risks, ...statement.risks] },
      statement.evidence,
      most,
    );
  }
  const loose = places.length > 0 ? aboutWords(question, observed, places) : null;
  if (loose) {
    const missed = strong.map(shown).join(', ');
    const risks = [`${missed} was found nowhere as written; what is quoted has only words of the question.`];
    return finish(
      { question, found: 'loose', summary: `${missed} was found nowhere as written. ${loose.text}`, risks },
      loose.evidence,
      most,
    );
  }
  const nothing = observed.looked > 0 ? 'Nothing was found for' : 'Nothing could be looked up for';
  return finish({ question, found: 'nothing', summary: `${nothing} ${triedTerms(question)}.`, risks: [] }, [], most);
}

/** What was looked for, as a person would write it. */
export function triedTerms(question: Question): string {
  const terms = question.terms.filter(
    (term) => term.kind !== 'weak' && term.kind !== 'folder' && term.kind !== 'variant',
  );
  return (terms.length > 0 ? terms : question.terms).map(shown).join(', ');
}

interface Material {
  /** The places that have a strong term; all of them where the question has none. */
  readonly places: readonly Place[];
  readonly all: readonly Place[];
  readonly named: readonly string[];
}

function state(question: Question, observed: Observed, { places, all, named }: Material): Statement | null {
  const strong = question.terms.filter(isStrong);
  const files = strong.filter((term) => term.kind === 'file');
  if (
    files.length > 0 &&
    strong.length === files.length &&
    question.intent !== 'callers' &&
    question.intent !== 'files' &&
    named.length > 0
  ) {
    return aboutFiles(question, observed, { places: [], named });
  }
  if (places.length === 0) return named.length > 0 ? aboutFiles(question, observed, { places, named }) : null;
  if (strong.length > 0 && strong.every((term) => term.kind === 'idiom')) return aboutPhrase(observed, places, strong);
  if (question.intent === 'files' || question.intent === 'count') {
    return aboutFiles(question, observed, { places, named });
  }
  const names = strong.filter(isName);
  if (question.intent === 'callers' && names.length > 0) return aboutCallers(observed, places, names);
  if (question.intent === 'heirs' && names.length > 0) return aboutHeirs(observed, places, names);
  if (names.length > 0) return aboutName(question, observed, { places, all, names });
  if (strong.length > 0) return aboutPhrase(observed, places, strong);
  return aboutWords(question, observed, places);
}

/** Files that are named as the question names them: by a path, or by two of its words, or by its only word. */
function filesNamed(question: Question, observed: Observed): string[] {
  const paths = question.terms.filter((term) => term.kind === 'file');
  if (paths.length > 0)
    return observed.files.filter((file) => paths.some((term) => file === term.text || file.endsWith(`/${term.text}`)));
  if (question.terms.some(isStrong)) return [];
  const words = question.terms.filter((term) => term.kind === 'word');
  const least = Math.min(2, words.length);
  return observed.files.filter((file) => {
    if (question.about !== null && classOf(file) !== question.about) return false;
    const name = file.slice(file.lastIndexOf('/') + 1);
    return least > 0 && words.filter((term) => term.test.test(name)).length >= least;
  });
}

/** Two of the words stand close together, or the only one stands there. */
function isClose(question: Question, places: readonly Place[]): boolean {
  if (question.terms.filter((term) => term.kind === 'word').length < 2) return places.length > 0;
  return places.slice(0, 5).some((place) => [...place.close].filter((term) => term.kind === 'word').length > 1);
}

function finish(finding: Omit<Finding, 'evidence'>, evidence: readonly Line[], most: number): Finding {
  const lines = new Map<string, Line>();
  for (const line of evidence) {
    if (line.text.trim() !== '') lines.set(`${line.path}\u0000${line.line}`, line);
  }
  return { ...finding, evidence: [...lines.values()].slice(0, most) };
}
