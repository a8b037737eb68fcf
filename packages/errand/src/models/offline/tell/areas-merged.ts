import type { Question } from '../ask/question.ts';
import type { Observed, Told } from '../look/observed.ts';
import { classOf } from '../look/path-class.ts';
import { isStrong, rank } from '../look/rank.ts';
import type { Brought } from './brought.ts';
import type { CitedLine } from './citation.ts';
import { type Finding, findingIn } from './finding.ts';
import { type Entry, parseRegister, withEntries } from './register.ts';
import { toldIn } from './told.ts';

/** What scouts of this very model found for one question, each in its part of the workspace, put together. */
export interface Union {
  readonly finding: Finding;
  /** Those that brought something that the statement is about. */
  readonly finders: ReadonlySet<Brought>;
}

/** Whether a statement about the whole can be made from what the parts report. */
export function canUnite(question: Question): boolean {
  return question.terms.some(isStrong) || question.intent === 'files' || question.intent === 'count';
}

/** States anew, from every line that the scouts found, what each of them could only say of its own part. */
export function unite(question: Question, answered: readonly Brought[], most: number): Union {
  const registers = answered.map((helper) => ({ helper, ...parseRegister(helper.report, question) }));
  const entries = registers.flatMap((register) => register.entries);
  const cut =
    registers.some((register) => register.cut) ||
    answered.some((one) => one.state !== 'completed' || /A call failed: search/u.test(one.blockers));
  const observed = fromHelpers(answered, entries, cut);
  const strong = question.terms.some(isStrong);
  // Of mere words only the register knows which lines are meant.
  const ranked = rank(question, observed);
  const listed = withEntries(ranked, entries, classOf);
  const named = new Set(entries.map(({ path, line }) => `${path}:${line}`));
  const places =
    strong || entries.length === 0 ? listed : listed.filter(({ path, line }) => named.has(`${path}:${line}`));
  const finding = findingIn(question, observed, { places, most });
  const exact = registers.filter((register) => register.entries.length > 0).map(({ helper }) => helper);
  const loose = answered.filter((helper) => helper.evidence.length > 0);
  return { finding, finders: new Set(exact.length > 0 ? exact : loose) };
}

/** Lines that helpers quoted, and what they told of places, as if it had been seen here. */
function fromHelpers(answered: readonly Brought[], entries: readonly Entry[], cut: boolean): Observed {
  const told = new Map<string, Told>();
  for (const helper of answered) for (const [place, about] of toldIn(helper.report)) told.set(place, about);
  for (const { path, line, inside } of entries) {
    const known = told.get(`${path}:${line}`);
    if (known || inside !== null)
      told.set(`${path}:${line}`, { comment: '', tail: '', ...known, inside: inside ?? known?.inside ?? null });
  }
  return { ...fromEvidence(answered.flatMap((one) => one.evidence)), told, cut };
}

/** Lines that helpers quoted, as if they had been seen here: counts from them alone are lower bounds. */
export function fromEvidence(lines: readonly CitedLine[]): Observed {
  const seen = new Map<string, Map<number, string>>();
  const cited = lines.filter((line) => line.path !== '');
  for (const line of cited)
    seen.set(line.path, (seen.get(line.path) ?? new Map<number, string>()).set(line.line, line.text));
  return { hits: cited, seen, files: [...seen.keys()], cut: true, failures: [], looked: 1, told: null };
}
