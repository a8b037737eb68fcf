import { firstLine } from '../../../base/text.ts';
import type { Inquiry, Question } from '../ask/question.ts';
import type { Line, Observed } from '../look/observed.ts';
import { isStrong, type Place, rank } from '../look/rank.ts';
import type { Brought } from './brought.ts';
import { cite, renderEvidence } from './citation.ts';
import type { Finding } from './finding.ts';
import { CLOSING, declined, leftOut } from './report.ts';

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
}

/** The answer of a root: question by question what the helpers brought, and what became of each of them. */
export function renderMerged(inquiry: Inquiry, { brought, own }: Merging): string {
  const [only] = inquiry.questions;
  const parts =
    only && inquiry.questions.length === 1
      ? byArea(only, { brought, own })
      : byQuestion(inquiry.questions, { brought, own });
  const trouble = brought.flatMap(troubleOf);
  if (trouble.length > 0) parts.push(['What did not come back in full:', ...trouble].join('\n- '));
  const unseen = brought.flatMap(unseenBy);
  if (unseen.length > 0) parts.push(['What could not be looked at:', ...unseen].join('\n- '));
  if (inquiry.refused.length > 0) parts.push(declined(inquiry));
  return [...parts, ...leftOut(inquiry), CLOSING].join('\n\n');
}

/** Several scouts had the same question, each in its area: the best first, and who brought nothing to the point. */
function byArea(question: Question, { brought, own }: Merging): string[] {
  const answered = brought.filter((one) => one.state !== 'refused');
  const judged = judge(question, answered);
  const best = judged[0];
  const parts = own.map((finding) =>
    section(finding.summary, finding.evidence.slice(0, LEADING).map(renderEvidence), WITHOUT_HELPER),
  );
  if (!best || best.level === 0) {
    if (answered.length === 0) return parts;
    const summary =
      answered.length === 1
        ? answered[0]?.summary || answered[0]?.text
        : `None of ${answered.length} helpers found anything.`;
    return [
      ...parts,
      section(
        shortened(summary || 'The helper brought nothing.'),
        [],
        answered.map((one) => credit(one, question)).join('; '),
      ),
    ];
  }
  const finders = judged.filter((one) => one.level === best.level && one.score >= best.score * CLOSE_TO_BEST);
  const quoted = finders.slice(0, best.level === 2 ? MOST_SECTIONS : 1);
  for (const [index, { helper }] of quoted.entries()) {
    const lines = helper.evidence.slice(0, index === 0 ? LEADING : FOLLOWING).map((line) => line.raw);
    parts.push(section(shortened(helper.summary || helper.text), lines, credit(helper, question)));
  }
  const others = judged.filter((one) => !finders.includes(one));
  parts.push(
    ...mentioned('Also found by', finders.slice(quoted.length), question),
    ...mentioned(
      'Less to the point',
      others.filter((one) => one.level > 0),
      question,
    ),
    ...mentioned(
      'Nothing was found by',
      others.filter((one) => one.level === 0),
      question,
    ),
  );
  return parts;
}

/** One line about helpers that are not quoted, each with the first place that it names. */
function mentioned(what: string, judged: readonly Judged[], question: Question): string[] {
  if (judged.length === 0) return [];
  return [`${what}: ${judged.map(({ helper }) => `${credit(helper, question)}${placeOf(helper)}`).join('; ')}.`];
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
  const most = Math.max(0, ...places.map(wordsAt));
  const least = Math.max(most, Math.min(2, question.terms.filter((term) => term.kind === 'word').length));
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

function placeOf(helper: Brought): string {
  const [first] = helper.evidence;
  return first && first.path !== '' ? `, at ${cite(first)}` : '';
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

/** Lines that helpers quoted, as if they had been seen here: counts from them are lower bounds. */
function fromEvidence(lines: readonly Line[]): Observed {
  const seen = new Map<string, Map<number, string>>();
  const cited = lines.filter((line) => line.path !== '');
  for (const line of cited)
    seen.set(line.path, (seen.get(line.path) ?? new Map<number, string>()).set(line.line, line.text));
  return { hits: cited, seen, files: [], cut: true, failures: [], looked: 1 };
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
    .filter((line) => line !== '' && !/^none\.?$/iu.test(line))
    .slice(0, 3)
    .map((line) => `“${one.title}”: ${firstLine(line, 300)}`);
}
