import type { InterruptReason } from '../domain/run/status.ts';
import { fill, promptText } from './text.ts';

/** The one opening turn of a helper. */
export function renderOpening(brief: { readonly task: string; readonly context: string | null }): string {
  const task = fill(promptText('prompts/turns/brief'), { task: brief.task }).trim();
  if (!brief.context) return task;
  return `${task}\n\n${fill(promptText('prompts/turns/known'), { context: brief.context }).trim()}`;
}

const LIMIT_WORDS: Readonly<Partial<Record<InterruptReason, string>>> = {
  steps: 'steps',
  tool_calls: 'tool calls',
  wall: 'time',
};

/** Asks for the last report before a limit. */
export function renderReportRequest(limit: InterruptReason): string {
  return fill(promptText('prompts/turns/report'), { limit: LIMIT_WORDS[limit] ?? limit }).trim();
}

/** Tells a run that goes on after its last report. */
export function renderResumeNote(): string {
  return promptText('prompts/turns/resume').trim();
}

/** Opens a run that goes on from another's transcript, where nobody said with what. */
export function renderGoOn(): string {
  return promptText('prompts/turns/go-on').trim();
}

/** Asks for what must survive when the transcript no longer fits. */
export function renderSummarise(): string {
  return promptText('prompts/turns/summarise').trim();
}

/** Stands for the part of a transcript that was left out. */
export function renderSummary(summary: string): string {
  return fill(promptText('prompts/turns/summary'), { summary: summary.trim() }).trim();
}

/** The result of a call that had started, and may have acted, before a restart. */
export function renderUnknownOutcome(name: string): string {
  return fill(promptText('prompts/turns/unknown-outcome'), { name }).trim();
}

/** Stands for the result that a call of an earlier run never got. */
export function renderNoResult(): string {
  return promptText('prompts/turns/no-result').trim();
}

/** The result of a call that was made although no tool was on offer. */
export function renderNotOffered(): string {
  return promptText('prompts/turns/not-offered').trim();
}

export interface AnswerFacts {
  readonly run_id: string;
  readonly title: string;
  readonly role: string;
  readonly model: string;
  readonly state: string;
  readonly reason: string | null;
  readonly calls: number;
  readonly seconds: number;
  /** Names in the order of the calls. */
  readonly tools: readonly string[];
  /** In words: that it is another model's work, and whether it is partial or cut. */
  readonly note: string;
  readonly answer: string;
}

/** A helper's answer as its parent reads it: labelled data, which cannot end its own label. */
export function renderAnswer(facts: AnswerFacts): string {
  return fill(promptText('prompts/turns/answer'), {
    run_id: facts.run_id,
    title: attribute(facts.title),
    role: facts.role,
    model: attribute(facts.model),
    state: facts.state,
    reason: facts.reason === null ? '' : ` reason="${facts.reason}"`,
    calls: String(facts.calls),
    seconds: facts.seconds.toFixed(1),
    tools: attribute(foldRepeats(facts.tools)),
    note: quoted(facts.note),
    answer: quoted(facts.answer),
  }).trim();
}

/** Text that cannot end the label it stands in, nor begin another. */
function quoted(text: string): string {
  return text.replace(/<(\/?)helper_answer/giu, '<$1helper-answer');
}

/** `search, read ×3, list`: names in order, repeats folded. */
export function foldRepeats(names: readonly string[]): string {
  const runs: { name: string; times: number }[] = [];
  for (const name of names) {
    const last = runs.at(-1);
    if (last?.name === name) last.times++;
    else runs.push({ name, times: 1 });
  }
  return runs.map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name)).join(', ');
}

function attribute(text: string): string {
  return text.replace(/["<>]/gu, "'").replace(/\s+/gu, ' ');
}
