import { firstLine } from '../../base/text.ts';
import { type Area, areasOf, nextListing } from './areas.ts';
import { type Inquiry, type Question, readRequest } from './ask/question.ts';
import { offered, type Wanted } from './look/calls.ts';
import { findingsOf, nextStep, type Step } from './research.ts';
import { type Brought, readBrought } from './tell/brought.ts';
import { renderMerged, TITLE_OF_QUESTION } from './tell/merge.ts';
import { declined, renderAnswer } from './tell/report.ts';
import { type Done, INSTRUCTION, type Turn } from './turn.ts';

/** Helpers in the one step that asks for them. */
const MOST_HELPERS = 8;
/** Questions of one request: eight for each helper, or eight without any. */
const MOST_QUESTIONS = 64;
const MOST_ALONE = 8;
const LONGEST_BACKGROUND = 4_000;

/** What a root does next: calls with a line about them, or its answer. */
export function rootStep(turn: Turn): Step {
  const inquiry = readRequest(turn.task, turn.earlier, turn.tools.has('agent') ? MOST_QUESTIONS : MOST_ALONE);
  if (inquiry.questions.length === 0) return { say: declined(inquiry), calls: [] };
  const answers = turn.rounds.find((round) => round.some((done) => done.name === 'agent'));
  if (answers) return afterHelpers(inquiry, turn, answers);
  if (!turn.tools.has('agent') || turn.mustReport) {
    return (
      nextStep(inquiry.questions, turn) ?? {
        say: renderAnswer(inquiry, turn, findingsOf(inquiry.questions, turn)),
        calls: [],
      }
    );
  }
  return inquiry.questions.length > 1 ? askByQuestion(inquiry) : askByArea(inquiry, turn);
}

function askByQuestion(inquiry: Inquiry): Step {
  const groups = inGroups(inquiry.questions, MOST_HELPERS);
  const calls = groups.map((questions) =>
    agent(
      firstLine(questions.map(({ text }) => text).join(' '), TITLE_OF_QUESTION),
      taskOf(questions, inquiry.background, []),
    ),
  );
  return {
    say: `These are ${inquiry.questions.length} questions; one scout goes out for each${groups.length < inquiry.questions.length ? ' group of them' : ''}.`,
    calls,
  };
}

function askByArea(inquiry: Inquiry, turn: Turn): Step {
  const [question] = inquiry.questions;
  const base = question?.terms.find((term) => term.kind === 'folder')?.text ?? '';
  const listing = offered(nextListing(turn.rounds, base) ?? [], turn.tools);
  if (listing.length > 0) return { say: 'Looking at how the workspace is laid out.', calls: listing };
  const areas = areasOf(turn.rounds, base);
  const asked = firstLine(question?.text ?? '', TITLE_OF_QUESTION);
  if (areas.length < 2) {
    return {
      say: 'One scout is enough for this workspace.',
      calls: [agent(asked, taskOf(inquiry.questions, inquiry.background, []))],
    };
  }
  const calls = areas.map((area: Area) =>
    agent(`${area.title}: ${asked}`, taskOf(inquiry.questions, inquiry.background, area.scopes)),
  );
  return { say: `One question, ${areas.length} areas; one scout goes out for each.`, calls };
}

function agent(title: string, task: string): Wanted {
  return { name: 'agent', args: { title: firstLine(title, 200), task, role: 'scout' } };
}

/** A task that stands on its own: the questions, what else was told, the area, and what to bring. */
function taskOf(questions: readonly Question[], background: readonly string[], scopes: readonly string[]): string {
  const asked =
    questions.length === 1
      ? questions[0]?.text
      : questions.map(({ text }, index) => `${index + 1}. ${text}`).join('\n');
  const told = background.length > 0 ? [`Background: ${firstLine(background.join(' '), LONGEST_BACKGROUND)}`] : [];
  const area = scopes.length > 0 ? [scopes.map((path) => `SCOPE: ${path}`).join('\n')] : [];
  return [asked, ...told, ...area, INSTRUCTION].join('\n\n');
}

/** Merges what came back; what no helper was started for is searched here first. */
function afterHelpers(inquiry: Inquiry, turn: Turn, answers: readonly Done[]): Step {
  const brought = answers
    .filter((done) => done.name === 'agent')
    .map((done) => readBrought(done, questionsIn(done, inquiry)));
  const orphans = orphansOf(inquiry, brought);
  const step = nextStep(orphans, turn);
  if (step) return step;
  const own = orphans.length > 0 ? findingsOf(orphans, turn).findings : [];
  return { say: renderMerged(inquiry, { brought, own, cwd: turn.cwd }), calls: [] };
}

/** The questions whose text stands in the task of a call. */
function questionsIn(done: Done, inquiry: Inquiry): Question[] {
  const task =
    typeof done.args.task === 'string' ? done.args.task.split('\n').map((line) => line.replace(/^\d+\. /u, '')) : [];
  return inquiry.questions.filter((question) => task.includes(question.text));
}

function orphansOf(inquiry: Inquiry, brought: readonly Brought[]): Question[] {
  const refused = brought.filter((one) => one.state === 'refused');
  return inquiry.questions.filter((question) => refused.some((one) => one.questions.includes(question)));
}

/** So many groups that none is larger by more than one than another, in order. */
function inGroups(questions: readonly Question[], most: number): Question[][] {
  const count = Math.min(most, questions.length);
  return Array.from({ length: count }, (_, index) =>
    questions.slice(
      Math.floor((index * questions.length) / count),
      Math.floor(((index + 1) * questions.length) / count),
    ),
  );
}
