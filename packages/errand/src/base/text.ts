/** A text cut to a limit, head and tail kept. */
export interface CutText {
  readonly text: string;
  /** Characters left out; 0 when the text fitted. */
  readonly cut: number;
}

/**
 * Keeps two thirds from the head and a third from the tail, with a mark between that says how much is left out;
 * the mark counts, so that the result never exceeds `limit` (a limit shorter than the mark aside). Never splits a surrogate pair.
 */
export function cutHeadAndTail(text: string, limit: number, mark: (cut: number) => string): CutText {
  if (text.length <= limit) return { text, cut: 0 };
  const room = Math.max(0, limit - mark(text.length).length);
  let head = Math.ceil((room * 2) / 3);
  let tail = room - head;
  if (head > 0 && isHighSurrogate(text.charCodeAt(head - 1))) head--;
  if (tail > 0 && isLowSurrogate(text.charCodeAt(text.length - tail))) tail--;
  const cut = text.length - head - tail;
  return { text: text.slice(0, head) + mark(cut) + text.slice(text.length - tail), cut };
}

/** The first `limit` characters on one line, white space folded. */
export function firstLine(text: string, limit: number): string {
  const folded = text.replace(/\s+/gu, ' ').trim();
  if (folded.length <= limit) return folded;
  const end = isHighSurrogate(folded.charCodeAt(limit - 1)) ? limit - 1 : limit;
  return folded.slice(0, end);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
