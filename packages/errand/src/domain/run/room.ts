import { cutHeadAndTail } from '../../base/text.ts';
import type { Message } from './message.ts';
import type { RunState } from './state.ts';

/** Characters that a tool result keeps when room is made. */
export const TRIMMED_RESULT = 2_000;
/** A token is taken for so many characters where no provider has counted. */
const CHARACTERS_A_TOKEN = 3.5;
/** Share of the window that is left for the answer. */
const FOR_THE_ANSWER = 0.2;

/** Tokens that the next call is likely to need: what the provider counted last, and what came since. */
export function estimatedTokens(run: RunState, systemCharacters: number): number {
  const { counted } = run;
  const since = run.messages.slice(counted?.messages ?? 0).reduce((sum, message) => sum + charactersOf(message), 0);
  const all = (counted ? since : since + systemCharacters) / CHARACTERS_A_TOKEN;
  return Math.ceil((counted?.tokens ?? 0) + all);
}

/** Tokens that a call may fill of a window. */
export function usableTokens(window: number): number {
  return Math.floor(window * (1 - FOR_THE_ANSWER));
}

/** What can still be done to make room; null: nothing. Tool output goes first. */
export function nextRoom(run: RunState): 'trim' | 'summarise' | null {
  if (hasLonger(run.messages, TRIMMED_RESULT)) return 'trim';
  // Fewer messages than these are the task and its summary themselves.
  return run.messages.length > openingsOf(run).length + 2 ? 'summarise' : null;
}

/** What says what the work is, and survives every summary: the first message, and the run's own opening where it began with another's transcript. */
function openingsOf(run: RunState): readonly Message[] {
  return [...(run.spec.prefix ?? []).slice(0, 1), ...ownOpening(run)];
}

function ownOpening({ spec: { opening } }: RunState): Message[] {
  return opening === '' ? [] : [{ role: 'user', text: opening }];
}

/** The earlier half of a transcript by its size, with the work where that stands behind it; and how many messages after it are kept as they are. */
export function earlierPart(run: RunState): { readonly messages: readonly Message[]; readonly kept: number } {
  const { messages } = run;
  const sizes = messages.map(charactersOf);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  let before = 0;
  // What is kept begins with a message of the model, so that no result stands without its call.
  const half = messages.findIndex((message, index) => {
    const isLater = before >= all / 2;
    before += sizes[index] ?? 0;
    return isLater && message.role === 'assistant';
  });
  const isWorth = messages.slice(0, Math.max(0, half)).some((message) => message.role === 'assistant');
  const from = isWorth ? half : messages.length;
  const work = from > run.ownFrom ? [] : ownOpening(run);
  return { messages: [...messages.slice(0, from), ...work], kept: messages.length - from };
}

/** The transcript with `note` in the place of all but the openings and the last `kept` messages. */
export function withSummary(run: RunState, note: string, kept: number): Pick<RunState, 'messages' | 'ownFrom'> {
  const from = run.messages.length - kept;
  const first = (run.spec.prefix ?? []).slice(0, 1);
  const isOwn = from > run.ownFrom;
  const head: Message[] = [...first, ...(isOwn ? ownOpening(run) : []), { role: 'user', text: note }];
  return {
    messages: [...head, ...run.messages.slice(from)],
    ownFrom: isOwn ? first.length : head.length + run.ownFrom - from,
  };
}

/**
 * The transcript after one trimming: the results of earlier steps are cut, and only where those are short already the latest,
 * which the model has not seen yet.
 */
export function trimTranscript(messages: readonly Message[], characters: number, mark: string): Message[] {
  const latest = messages.findLastIndex((message) => message.role === 'tool');
  const earlier = messages.slice(0, latest);
  return hasLonger(earlier, characters)
    ? [...trimResults(earlier, characters, mark), ...messages.slice(latest)]
    : trimResults(messages, characters, mark);
}

function hasLonger(messages: readonly Message[], characters: number): boolean {
  return messages.some(
    (message) => message.role === 'tool' && message.results.some((result) => result.text.length > characters),
  );
}

/** Messages with every tool result cut to `characters`; `mark` stands where something was left out. */
export function trimResults(messages: readonly Message[], characters: number, mark: string): Message[] {
  return messages.map((message) =>
    message.role === 'tool'
      ? {
          ...message,
          results: message.results.map((result) => ({
            ...result,
            text: cutHeadAndTail(result.text, characters, () => mark).text,
          })),
        }
      : message,
  );
}

function charactersOf(message: Message): number {
  if (message.role === 'tool') return message.results.reduce((sum, result) => sum + result.text.length, 0);
  if (message.role === 'user') return message.text.length;
  return message.text.length + message.calls.reduce((sum, call) => sum + call.args.length + call.name.length, 0);
}
