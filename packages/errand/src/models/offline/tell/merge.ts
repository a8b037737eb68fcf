import { firstLine } from '../../../base/text.ts';
import type { Inquiry, Question } from '../ask/question.ts';
import { isStrong, type Place, rank } from '../look/rank.ts';
import { canUnite, fromEvidence, unite } from './areas-merged.ts';
import type { Brought } from './brought.ts';
import { cite, renderEvidence } from './citation.ts';
import type { Finding } from './finding.ts';
import { CLOSING, declined, ENGLISH_ONLY, leftOut } from './report.ts';
import { countsOrDenies, listed, notSearched, partsShown } from './wording.ts';

const MOST_EVIDENCE = 8;
/** Lines quoted of the helper that found most, and of each other. */
const LEADING = 7;
const FOLLOWING = 4;
const MOST_SECTIONS = 3;
/** Characters of a question in the title of a helper. */
export const TITLE_OF_QUESTION = 80;
/** Of the best helper's score, what makes another one worth quoting. */
const CLOSE_TO_BEST = 0.4;
const WITHOUT_HELPER = 'searched by this run itself, without a helper';
const MOST_TEXT = 600;

interface Merging {
  readonly brought: readonly Brought[];
  /** What the root found by itself where no helper was started. */
  readonly own: readonly Finding[];
  /** The folder of the workspace. */
  readonly cwd: string;
}

/** The answer of a root: question by question what the helpers brought, and what became of each of them. */
export function renderMerged(inquiry: Inquiry, { brought, own, cwd }: Merging): string {
  const [only] = inquiry.questions;
  const parts =
    only && inquiry.questions.length === 1
      ? byArea(only, { brought, own, cwd })
      : byQuestion(inquiry.questions, { brought, own, cwd });
  const trouble = brought.flatMap(troubleOf);
  if (trouble.length > 0) parts.push(['What did not come back in full:', ...trouble].join('\n- '));
  const unseen = brought.flatMap(unseenBy);
  if (unseen.length > 0) parts.push(['What could not be looked at:', ...unseen].join('\n- '));
  if (inquiry.refused.length > 0) parts.push(declined(inquiry));
  const shownParts = parts.join('\n\n');
  const ignored = countsOrDenies(shownParts.replace(/^(?:\*\*|- | {2}|\().*$/gmu, '')) ? [notSearched(cwd)] : [];
  return [...parts, ...leftOut(inquiry), ...ignored, CLOSING].join('\n\n');
}

/** Several scouts had the same question, each in its area: one statement about the whole where it can be made. */
function byArea(question: Question, { brought, own }: Merging): string[] {
  const answered = brought.filter((one) => one.state !== 'refused');
  const [found] = own;
  // What the root looked up itself covers all of the workspace.
  if (found) {
    const lines = found.evidence.slice(0, MOST_EVIDENCE).map(renderEvidence);
    return [section(found.summary, lines, WITHOUT_HELPER)];
  }
  const legible = answered.filter((one) => one.offline && one.summary !== '');
  const others = answered.filter((one) => !legible.includes(one));
  const [only] = legible;
  const parts: string[] = [];
  if (only && legible.length === 1) {
    parts.push(
      section(
        only.summary,
        only.evidence.slice(0, MOST_EVIDENCE).map((line) => line.raw),
        credit(only, question),
      ),
    );
  } else if (only) parts.push(...(canUnite(question) ? united(question, legible) : closest(question, legible)));
  const judged = judge(question, others).slice(0, MOST_SECTIONS);
  for (const { helper } of judged) {
    const lines = helper.evidence.slice(0, FOLLOWING).map((line) => line.raw);
    parts.push(
      section(
        shortened(helper.summary || helper.text || 'The helper brought nothing.'),
        lines,
        credit(helper, question),
      ),
    );
  }
  return parts;
}

/** The statement about the whole, the lines that it rests on, and where nothing was found. */
function united(question: Question, answered: readonly Brought[]): string[] {
  const { finding, finders } = unite(question, answered, MOST_EVIDENCE);
  const raw = new Map(answered.flatMap((one) => one.evidence).map((line) => [`${line.path}:${line.line}`, line.raw]));
  const lines = finding.evidence.map((line) => raw.get(`${line.path}:${line.line}`) ?? renderEvidence(line));
  const best = judge(question, answered)[0];
  if (best && finders.has(best.helper)) lines.push(...best.helper.evidence.map((line) => line.raw));
  const without = answered.filter((one) => !finders.has(one));
  return [
    section(finding.summary, [...new Set(lines)].slice(0, MOST_EVIDENCE), together(answered)),
    ...(finders.size > 0 ? nothingIn(without) : []),
  ];
}

/** For a question in mere words: what the best of them says, with the best places of the others. */
function closest(question: Question, answered: readonly Brought[]): string[] {
  const judged = judge(question, answered);
  const [best, ...others] = judged;
  if (!best || best.level === 0) return united(question, answered);
  const close = others.filter((one) => one.level === best.level && one.score >= best.score * CLOSE_TO_BEST);
  const places = close.flatMap(({ helper }) => helper.evidence.slice(0, 1).map(cite));
  const elsewhere = places.length > 0 ? ` Elsewhere: ${listed(places, MOST_SECTIONS)}.` : '';
  const lines = [
    ...best.helper.evidence.slice(0, close.length > 0 ? LEADING - 2 : LEADING),
    ...close.slice(0, MOST_SECTIONS).flatMap(({ helper }) => helper.evidence.slice(0, 1)),
  ].map((line) => line.raw);
  return [
    section(best.helper.summary.replace(/^In .+? only: /u, '') + elsewhere, lines, together(answered)),
    ...nothingIn(others.filter((one) => one.level === 0).map(({ helper }) => helper)),
  ];
}

function together(answered: readonly Brought[]): string {
  return answered.length === 1
    ? credit(answered[0] as Brought)
    : `put together from what ${answered.length} helpers found, each in its part of the workspace`;
}

function nothingIn(without: readonly Brought[]): string[] {
  const scopes = without.flatMap((one) => one.scopes);
  return scopes.length > 0 ? [`Nothing was found in ${partsShown(scopes)}.`] : [];
}

interface Judged {
  readonly helper: Brought;
  /** 2: it quotes what was asked for, or is another model, whose word stands; 1: it quotes related lines; 0: nothing. */
  readonly level: 0 | 1 | 2;
  readonly score: number;
}

/** Helpers by what they quote, the best first; in the order in which they were sent where that is equal. */
function judge(question: Question, answered: readonly Brought[]): Judged[] {
  const places = rank(question, fromEvidence(answered.flatMap((one) => one.evidence)));
  const strong = question.terms.some(isStrong);
  const wordsAt = (place: Place) => [...place.close].filter((term) => term.kind === 'word').length;
  const least = Math.min(2, question.terms.filter((term) => term.kind === 'word').length);
  const fits = (place: Place) => (strong ? place.exact : wordsAt(place) >= least);
  const judged = answered.map((helper): Judged => {
    const own = places.filter((place) =>
      helper.evidence.some((line) => line.path === place.path && line.line === place.line),
    );
    const score = Math.max(0, ...own.map((place) => place.score));
    if (!helper.offline) return { helper, level: helper.summary === '' && helper.text === '' ? 0 : 2, score };
    if (helper.evidence.length === 0) return { helper, level: 0, score };
    // Lines of a file that is named as asked for need not have the words themselves.
    const named = helper.evidence.some((line) =>
      question.terms.some((term) => term.kind === 'file' && term.test.test(line.path)),
    );
    return { helper, level: named || own.some(fits) ? 2 : 1, score };
  });
  return judged.sort((a, b) => b.level - a.level || b.score - a.score);
}

function section(summary: string, evidence: readonly string[], source: string): string {
  return [summary, ...(evidence.length > 0 ? ['', ...evidence] : []), `(${source})`].join('\n');
}

function shortened(text: string): string {
  const line = firstLine(text, MOST_TEXT);
  return line.length < MOST_TEXT - 1 ? line : `${line}…`;
}

/** Who brought it and how it ended; of a title for an area, the area. */
function credit(helper: Brought, question?: Question): string {
  const tail = question ? `: ${firstLine(question.text, TITLE_OF_QUESTION)}` : '';
  const title = tail !== '' && helper.title.endsWith(tail) ? helper.title.slice(0, -tail.length) : helper.title;
  return `helper “${title}”, ${helper.state}`;
}

/** Every scout had its own questions. */
function byQuestion(questions: readonly Question[], { brought, own }: Merging): string[] {
  return questions.map((question, index) => {
    const head = `**${index + 1}. ${question.text}**\n`;
    const mine = own.find((finding) => finding.question.text === question.text);
    if (mine)
      return head + section(mine.summary, mine.evidence.slice(0, MOST_EVIDENCE).map(renderEvidence), WITHOUT_HELPER);
    const helper = brought.find((one) => one.questions.some((given) => given.text === question.text));
    if (!helper || helper.state === 'refused') return `${head}Nobody looked for this.`;
    const answer = answerTo(question, helper);
    const lines = answer.evidence.slice(0, MOST_EVIDENCE).map((line) => line.raw);
    return head + section(answer.summary || 'The helper brought nothing.', lines, credit(helper));
  });
}

/** What a helper with several questions said to one of them. */
function answerTo(question: Question, helper: Brought): Pick<Brought, 'summary' | 'evidence'> {
  const index = helper.questions.findIndex((given) => given.text === question.text);
  if (helper.questions.length < 2)
    return { summary: helper.summary || firstLine(helper.text, MOST_TEXT), evidence: helper.evidence };
  const start = `${index + 1}. ${question.text} `;
  const line = helper.summary.split('\n').find((candidate) => candidate.startsWith(start));
  const own = helper.evidence.filter((item) => item.group === index + 1);
  return {
    summary: line?.slice(start.length) ?? firstLine(helper.summary || helper.text, MOST_TEXT),
    evidence: own.length > 0 || line ? own : helper.evidence,
  };
}

function troubleOf(one: Brought): string[] {
  if (one.state === 'completed') return [];
  if (one.state === 'refused') return [`“${one.title}”: no helper was started: ${firstLine(one.text, 300)}`];
  const wrote = one.summary === '' && one.text === '' ? 'It left nothing' : 'What it wrote so far is used above';
  return [`“${one.title}” ended as ${one.state}. ${wrote}.`];
}

/** What a helper reports under BLOCKERS. */
function unseenBy(one: Brought): string[] {
  const blockers = one.blockers.split('\n').map((line) => line.replace(/^[-*]\s+/u, '').trim());
  return blockers
    .filter((line) => line !== '' && !line.startsWith(ENGLISH_ONLY) && !/^none\.?$/iu.test(line))
    .slice(0, 3)
    .map((line) => `“${one.title}”: ${firstLine(line, 300)}`);
}
