import { firstLine } from '../../../base/text.ts';
import type { Inquiry } from '../ask/question.ts';
import type { Observed } from '../look/observed.ts';
import type { Turn } from '../turn.ts';
import { renderEvidence } from './citation.ts';
import { type Finding, triedTerms } from './finding.ts';
import { registerOf } from './register.ts';
import { countsOrDenies, notSearched, partsShown } from './wording.ts';

const NO_MODEL = 'This is Errand’s offline model: no language model, but a search that quotes the workspace.';
const CONNECT =
  'To connect a language model: `--model <connection>/<id>` with OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY set, or OPENAI_BASE_URL for a local server (see README).';
/** Said of a task in another language. */
export const ENGLISH_ONLY = 'It reads English and names of code only.';
/** Of what is not done, so many sentences are named, and so much of each. */
const MOST_REFUSED = 5;
const LONGEST_REFUSED = 200;
export const CLOSING =
  'Answered by searching and quoting, with no language model. To connect one: `--model <connection>/<id>`, see README.';

interface Findings {
  readonly findings: readonly Finding[];
  readonly observed: Observed;
}

/** A helper's last message: the five headings. */
export function renderReport(inquiry: Inquiry, turn: Turn, { findings, observed }: Findings): string {
  const numbered = findings.length > 1;
  const scopes = [...turn.scope.paths, ...turn.scope.shallow.map((path) => `${path}/*`)];
  const within = scopes.length > 0 ? `In ${partsShown(scopes)} only: ` : '';
  const summary = findings.map((finding, index) =>
    numbered
      ? `${index + 1}. ${finding.question.text} ${within}${finding.summary}`
      : [
          within + finding.summary,
          ...(within === '' || finding.found === 'nothing' ? [] : registerOf(finding.question, observed)),
        ].join('\n'),
  );
  const evidence = findings.flatMap((finding, index) => {
    const lines = finding.evidence.map(renderEvidence);
    return numbered && lines.length > 0 ? [`Question ${index + 1}:`, ...lines] : lines;
  });
  const blockers = [
    ...failuresOf(turn, observed, findings),
    ...leftOut(inquiry),
    ...inquiry.refused.slice(0, MOST_REFUSED).map(refusal),
  ];
  return [
    [
      'SUMMARY',
      [
        ...summary,
        ...(inquiry.refused.length > 0 ? [refusedSummary(inquiry)] : []),
        ...(findings.length + inquiry.refused.length === 0
          ? [`The task holds nothing to search for. ${NO_MODEL}`]
          : []),
      ].join('\n'),
    ],
    ['EVIDENCE', evidence.join('\n') || 'None.'],
    ['CHANGES', 'None.'],
    [
      'RISKS',
      risksOf(findings, { observed, cwd: turn.cwd })
        .map((risk) => `- ${risk}`)
        .join('\n') || 'None.',
    ],
    ['BLOCKERS', blockers.map((blocker) => `- ${blocker}`).join('\n') || 'None.'],
  ]
    .map(([heading, body]) => `### ${heading}\n${body}`)
    .join('\n\n');
}

/** A root's own answer, where it had no helper to send. */
export function renderAnswer(inquiry: Inquiry, turn: Turn, { findings, observed }: Findings): string {
  const parts = findings.map((finding, index) => {
    const head = findings.length > 1 ? `**${index + 1}. ${finding.question.text}**\n` : '';
    return [head + finding.summary, finding.evidence.map(renderEvidence).join('\n')]
      .filter((text) => text !== '')
      .join('\n\n');
  });
  const remarks = [
    ...failuresOf(turn, observed, findings),
    ...leftOut(inquiry),
    ...risksOf(findings, { observed, cwd: turn.cwd }).slice(1),
  ];
  if (remarks.length > 0 && findings.length > 0) parts.push(`Mind: ${remarks.join(' ')}`);
  if (inquiry.refused.length > 0 || findings.length === 0) parts.push(declined(inquiry));
  return [...parts, ...(findings.length > 0 ? [CLOSING] : [])].join('\n\n');
}

/** What is said to a request, or a part of one, that no search can serve. */
export function declined(inquiry: Inquiry): string {
  if (inquiry.foreign && inquiry.questions.length === 0) return `${NO_MODEL} ${ENGLISH_ONLY}\n\n${CONNECT}`;
  if (inquiry.questions.length > 0) {
    const shown = inquiry.refused.slice(0, MOST_REFUSED).map((text) => `“${firstLine(text, LONGEST_REFUSED)}”`);
    const more = inquiry.refused.length > shown.length ? ` and ${inquiry.refused.length - shown.length} more` : '';
    return `Not done, for it takes more than a search: ${shown.join(', ')}${more}.`;
  }
  const offer =
    'It can answer “where is …”, “what calls …”, “which files …” and “what does the error … mean” from the files, with places and quoted lines.';
  return `${NO_MODEL} It cannot write, change, judge or talk. ${offer}\n\n${CONNECT}`;
}

/** That words were passed over, or questions; empty when none were. */
export function leftOut(inquiry: Inquiry): string[] {
  const read = inquiry.foreign ? [`${ENGLISH_ONLY} Other words of the task were passed over.`] : [];
  if (inquiry.left === 0) return read;
  return [...read, `${inquiry.left} more questions were not looked into: ask them separately.`];
}

function refusedSummary(inquiry: Inquiry): string {
  const language = inquiry.foreign ? ` ${ENGLISH_ONLY}` : '';
  return `${inquiry.questions.length > 0 ? 'A part of the task' : 'The task'} asks for more than a search, and was not done. ${NO_MODEL}${language}`;
}

function refusal(text: string): string {
  return `Not done, for no language model is connected: “${firstLine(text, LONGEST_REFUSED)}” ${CONNECT}`;
}

interface Ground {
  readonly observed: Observed;
  readonly cwd: string;
}

function risksOf(findings: readonly Finding[], { observed, cwd }: Ground): string[] {
  if (findings.length === 0) return [];
  const risks = new Set<string>([
    'Found and ranked by words alone: what is said in other words was not seen, and nothing was judged.',
  ]);
  if (observed.cut) risks.add('A search stopped at its limit: there may be more places than are counted here.');
  for (const finding of findings) for (const risk of finding.risks) risks.add(risk);
  for (const finding of findings)
    if (finding.found === 'nothing')
      risks.add(
        `Not finding ${triedTerms(finding.question)} does not prove that it is not there; binary files were not searched.`,
      );
  if (findings.some((finding) => countsOrDenies(finding.summary))) risks.add(notSearched(cwd));
  return [...risks];
}

function failuresOf(turn: Turn, observed: Observed, findings: readonly Finding[]): string[] {
  if (findings.length === 0) return [];
  const none = !turn.tools.has('search') && !turn.tools.has('find') && turn.rounds.length === 0;
  if (none)
    return [
      turn.mustReport
        ? 'No tool was on offer any more, so that nothing could be looked up.'
        : 'No tool that searches is on offer, so that nothing could be looked up.',
    ];
  return [
    ...(turn.mustReport && findings.some((finding) => finding.found !== 'exact')
      ? ['The limit was reached before the search was done.']
      : []),
    ...observed.failures.map((failure) => `A call failed: ${failure}`),
  ];
}
