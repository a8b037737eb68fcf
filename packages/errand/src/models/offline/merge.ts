import { firstLine } from '../../base/text.ts';
import { parseReport } from '../../domain/report/report.ts';
import { type CitedLine, parseEvidence, renderEvidence } from './citation.ts';
import { type Finding, findingOf } from './finding.ts';
import type { Line, Observed } from './observed.ts';
import type { Inquiry, Question } from './question.ts';
import { CLOSING, declined } from './report.ts';
import type { Done } from './turn.ts';

/** What came back from one helper. */
export interface Brought {
  readonly title: string;
  /** The questions that it was given. */
  readonly questions: readonly Question[];
  /** As its wrapper says; `refused` when no helper was started. */
  readonly state: string;
  readonly summary: string;
  readonly evidence: readonly CitedLine[];
  /** Its words where they are no report, or why none was started. */
  readonly text: string;
  readonly blockers: string;
}

const WRAPPER = /<helper_answer\b([^>]*)>([\s\S]*?)(?:<\/helper_answer>|$)/u;

/** Reads the result of an `agent` call; what has no wrapper was refused or has failed before it began. */
export function readBrought(done: Done, questions: readonly Question[]): Brought {
  const title = typeof done.args.title === 'string' ? done.args.title : 'helper';
  const [, attributes, inner] = WRAPPER.exec(done.text) ?? [];
  if (attributes === undefined || inner === undefined) {
    return {
      title,
      questions,
      state: 'refused',
      summary: '',
      evidence: [],
      text: done.text.trim() || 'no reason was given',
      blockers: '',
    };
  }
  const { sections } = parseReport(inner);
  return {
    title,
    questions,
    state: /\bstate\s*=\s*["']?([\w-]+)/u.exec(attributes)?.[1] ?? (done.error ? 'failed' : 'completed'),
    summary: sections.SUMMARY ?? '',
    evidence: sections.EVIDENCE === null ? [] : parseEvidence(sections.EVIDENCE),
    text: sections.SUMMARY === null ? inner.replace(/^[\s\S]*?\n---\n/u, '').trim() : '',
    blockers: sections.BLOCKERS ?? '',
  };
}

const MOST_EVIDENCE = 8;
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
  if (trouble.length > 0)
    parts.push(`What did not come back in full:\n${trouble.map((line) => `- ${line}`).join('\n')}`);
  if (inquiry.refused.length > 0) parts.push(declined(inquiry));
  return [...parts, CLOSING].join('\n\n');
}

/** Several scouts had the same question, each in its area. */
function byArea(question: Question, { brought, own }: Merging): string[] {
  const answered = brought.filter((one) => one.state !== 'refused');
  const lines = [...answered.flatMap((one) => one.evidence), ...own.flatMap((finding) => finding.evidence)];
  const finding = findingOf(question, fromEvidence(lines), MOST_EVIDENCE);
  const finders = answered.filter((one) =>
    one.evidence.some((line) => finding.evidence.some((other) => isSame(line, other))),
  );
  const [finder] = finders;
  const parts: string[] = [];
  if (finding.evidence.length > 0) {
    const alone = finders.length === 1 && own.length === 0 && finder?.summary;
    parts.push(`${alone ? finder.summary : finding.summary}\n\n${finding.evidence.map(renderEvidence).join('\n')}`);
  } else if (lines.length > 0) parts.push(foreignEvidence(answered));
  else if (answered.length > 0 || own.length > 0) parts.push(own[0]?.summary ?? nothingSentence(answered));
  const others = answered.filter((one) => !finders.includes(one));
  const credits = finders.map(
    (one) => `- “${one.title}” (${one.state})${finders.length > 1 ? `: ${firstLine(one.summary, 300)}` : ''}`,
  );
  const rest = others.map(
    (one) => `- “${one.title}” (${one.state}): ${firstLine(one.summary || one.text || 'nothing', 200)}`,
  );
  if (answered.length > 0) parts.push([`Brought by:`, ...credits, ...rest].join('\n'));
  return parts;
}

/** Every scout had its own questions. */
function byQuestion(questions: readonly Question[], { brought, own }: Merging): string[] {
  return questions.map((question, index) => {
    const head = `**${index + 1}. ${question.text}**`;
    const helper = brought.find((one) => one.questions.some((given) => given.text === question.text));
    const mine = own.find((finding) => finding.question.text === question.text);
    if (mine)
      return [
        head,
        mine.summary,
        '',
        ...mine.evidence.slice(0, MOST_EVIDENCE).map(renderEvidence),
        '(searched without a helper)',
      ].join('\n');
    if (!helper || helper.state === 'refused') return `${head}\nNobody looked for this.`;
    const answer = answerTo(question, helper);
    const shown = answer.evidence.slice(0, MOST_EVIDENCE);
    return [
      head,
      answer.summary || nothingSentence([helper]),
      '',
      ...shown.map((line) => line.raw),
      `(from the helper “${helper.title}”, ${helper.state})`,
    ].join('\n');
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

/** Evidence that another model wrote, as it stands. */
function foreignEvidence(answered: readonly Brought[]): string {
  return answered
    .filter((one) => one.evidence.length > 0)
    .map(
      (one) =>
        `${one.summary}\n\n${one.evidence
          .slice(0, MOST_EVIDENCE)
          .map((line) => line.raw)
          .join('\n')}`,
    )
    .join('\n\n');
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
  const name = `“${one.title}”`;
  if (one.state === 'refused') return [`${name}: no helper was started: ${firstLine(one.text, 300)}`];
  const stops = one.blockers.replace(/^none\.?$/iu, '').trim();
  if (one.state === 'completed') return stops === '' ? [] : [`${name}: ${firstLine(stops.replace(/^- /u, ''), 300)}`];
  const wrote = one.summary === '' && one.text === '' ? 'it left nothing' : 'what it wrote so far is used above';
  return [`${name} ended as ${one.state}; ${wrote}.${stops === '' ? '' : ` ${firstLine(stops, 200)}`}`];
}

function nothingSentence(answered: readonly Brought[]): string {
  const [one] = answered;
  return answered.length === 1
    ? one?.summary || 'The helper brought nothing.'
    : `None of ${answered.length} helpers found anything.`;
}

function isSame(a: Line, b: Line): boolean {
  return a.path === b.path && a.line === b.line;
}
