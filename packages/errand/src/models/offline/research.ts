import type { Question } from './ask/question.ts';
import { offered, read, type Wanted } from './look/calls.ts';
import { type Observed, observe } from './look/observed.ts';
import { callerSearches, firstSearches, focusSearches, reads, widerSearches } from './look/plan.ts';
import { isStrong, rank } from './look/rank.ts';
import { type Finding, findingOf, triedTerms } from './tell/finding.ts';
import type { Done, Turn } from './turn.ts';

/** A step of looking: what to call, and a line about it. */
export interface Step {
  readonly say: string;
  readonly calls: readonly Wanted[];
}

/** Steps that look, at most: search; read or widen; read what the widening found. */
const MOST_ROUNDS = 3;
const MOST_CALLS = 100;
const HEAD_OF_FILE = 40;
const MOST_EVIDENCE = 14;
/** Files that are found by name and cannot be read. */
const BINARY =
  /\.(?:pyc|class|o|so|a|dll|exe|jar|zip|gz|tgz|bz2|xz|7z|png|jpe?g|gif|ico|webp|bmp|pdf|woff2?|ttf|otf|eot|mp[34]|wasm|db|sqlite3?)$/iu;

/** The next step towards the answers, or null when it is time to report. */
export function nextStep(questions: readonly Question[], turn: Turn): Step | null {
  const rounds = lookingRounds(turn);
  if (turn.mustReport || questions.length === 0 || rounds.length >= MOST_ROUNDS) return null;
  const wanted = offered(wantedIn(questions, rounds, turn), turn.tools).slice(0, MOST_CALLS);
  const made = new Set(rounds.flat().map((done) => `${done.name} ${JSON.stringify(done.args)}`));
  const calls = wanted.filter((call) => !made.has(`${call.name} ${JSON.stringify(call.args)}`));
  if (calls.length === 0) return null;
  const terms = questions.map(triedTerms).join('; ');
  const say =
    rounds.length === 0
      ? `Searching for ${terms}.`
      : calls.some((call) => call.name === 'read')
        ? 'Reading around the best matches.'
        : `Searching wider for ${terms}.`;
  return { say, calls };
}

function wantedIn(questions: readonly Question[], rounds: readonly (readonly Done[])[], turn: Turn): Wanted[] {
  if (rounds.length === 0) return interleave(questions.map((question) => firstSearches(question, turn.scope)));
  const observed = observe(rounds, turn.scope);
  if (observed.looked === 0) {
    // Every call failed. A folder that is not there may be why; more of the same would not help.
    const whole = questions.filter((question) => question.terms.some((term) => term.kind === 'folder'));
    return rounds.length === 1
      ? interleave(whole.map((question) => firstSearches(withoutFolder(question), turn.scope)))
      : [];
  }
  return interleave(
    questions.map((question) => {
      const finding = findingOf(question, observed, MOST_EVIDENCE);
      const places = rank(question, observed);
      const look = lookCloser(question, observed);
      if (rounds.length === 1 && finding.found === 'nothing') return widerSearches(question, turn.scope);
      if (rounds.length === 1 && finding.found === 'loose') return [...look, ...widerSearches(question, turn.scope)];
      return rounds.length === 1
        ? [...look, ...focusSearches(question, places, observed)]
        : [...look, ...callerSearches(question, places, observed)];
    }),
  );
}

function withoutFolder(question: Question): Question {
  return { ...question, terms: question.terms.filter((term) => term.kind !== 'folder') };
}

/** Reads of the best places and of the files that are named as asked for. */
function lookCloser(question: Question, observed: Observed): Wanted[] {
  const places = rank(question, observed);
  const exact =
    question.terms.some(isStrong) && places.some((place) => place.exact)
      ? places.filter((place) => place.exact)
      : places;
  const paths = question.terms.filter((term) => term.kind === 'file');
  const words = question.terms.filter((term) => term.kind === 'word');
  const named = observed.files
    .filter((file) => !BINARY.test(file))
    .filter((file) =>
      paths.length > 0
        ? paths.some((term) => file === term.text || file.endsWith(`/${term.text}`))
        : words.length > 0 &&
          words.filter((term) => term.test.test(file.slice(file.lastIndexOf('/') + 1))).length >=
            Math.min(2, words.length),
    );
  const heads = named
    .filter((file) => !observed.seen.get(file)?.has(1))
    .slice(0, 2)
    .map((file) => read(file, 1, HEAD_OF_FILE));
  return [...heads, ...reads(question, exact, observed)];
}

/** The findings of a turn, in the order of its questions. */
export function findingsOf(
  questions: readonly Question[],
  turn: Turn,
): { readonly findings: readonly Finding[]; readonly observed: Observed } {
  const observed = observe(lookingRounds(turn), turn.scope);
  const most = Math.max(
    5,
    Math.floor(((questions.length > 1 ? 3 : 1) * MOST_EVIDENCE) / Math.max(1, questions.length)),
  );
  return {
    findings: questions.map((question) => findingOf(question, observed, Math.min(most, MOST_EVIDENCE))),
    observed,
  };
}

/** The steps that searched or read; a root's listings and helpers are none. */
function lookingRounds(turn: Turn): (readonly Done[])[] {
  return turn.rounds.filter((round) => round.some((done) => ['search', 'read', 'find'].includes(done.name)));
}

/** Takes turns, so that a limit on calls cuts every question alike. */
function interleave(lists: readonly (readonly Wanted[])[]): Wanted[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, index) => lists.flatMap((list) => list.slice(index, index + 1))).flat();
}
