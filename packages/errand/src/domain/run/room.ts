import { cutHeadAndTail } from '../../base/text.ts';
import type { Message } from './message.ts';
import type { RunState } from './state.ts';

/** Characters that an older tool result keeps when room is made. */
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
  const isLong = (message: Message) =>
    message.role === 'tool' && message.results.some((result) => result.text.length > TRIMMED_RESULT);
  if (run.messages.some(isLong)) return 'trim';
  // Fewer messages than these are the task and its summary themselves.
  return run.messages.length > 3 ? 'summarise' : null;
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
