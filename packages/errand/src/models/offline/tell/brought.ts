import { parseReport } from '../../../domain/report/report.ts';
import type { Question } from '../ask/question.ts';
import { type Done, scopesIn } from '../turn.ts';
import { type CitedLine, parseEvidence } from './citation.ts';
import { withoutRegister } from './register.ts';

/** What came back from one helper. */
export interface Brought {
  readonly title: string;
  /** The questions that it was given. */
  readonly questions: readonly Question[];
  /** As its wrapper says; `refused` when no helper was started. */
  readonly state: string;
  readonly summary: string;
  /** Its summary with the register of lines. */
  readonly report: string;
  /** The parts of the workspace that it was sent into; empty for all of it. */
  readonly scopes: readonly string[];
  readonly evidence: readonly CitedLine[];
  /** Its words where they are no report, or why none was started. */
  readonly text: string;
  readonly blockers: string;
  /** It is a run of this very model, whose report can be judged line by line. */
  readonly offline: boolean;
}

const WRAPPER = /<helper_answer\b([^>]*)>([\s\S]*?)(?:<\/helper_answer>|$)/u;

/** Reads the result of an `agent` call; what has no wrapper was refused or has failed before it began. */
export function readBrought(done: Done, questions: readonly Question[]): Brought {
  const scopes = scopesIn(typeof done.args.task === 'string' ? done.args.task : '');
  const title = typeof done.args.title === 'string' ? done.args.title : 'helper';
  const [, attributes, inner] = WRAPPER.exec(done.text) ?? [];
  if (attributes === undefined || inner === undefined) {
    return {
      title,
      questions,
      state: 'refused',
      summary: '',
      report: '',
      scopes,
      evidence: [],
      text: done.text.trim() || 'no reason was given',
      blockers: '',
      offline: false,
    };
  }
  const { sections } = parseReport(inner);
  return {
    title,
    questions,
    state: /\bstate\s*=\s*["']?([\w-]+)/u.exec(attributes)?.[1] ?? (done.error ? 'failed' : 'completed'),
    summary: withoutRegister(sections.SUMMARY ?? '').trim(),
    report: sections.SUMMARY ?? '',
    scopes,
    evidence: sections.EVIDENCE === null ? [] : parseEvidence(sections.EVIDENCE),
    text: sections.SUMMARY === null ? inner.replace(/^[\s\S]*?\n---\n/u, '').trim() : '',
    blockers: sections.BLOCKERS ?? '',
    offline: /\bmodel\s*=\s*["']?offline\//u.test(attributes),
  };
}
