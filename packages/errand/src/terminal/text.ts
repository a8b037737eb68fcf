/** Text as it may be shown on one line of a terminal, and its width in cells. */

/** Control characters and those that reorder or hide text; a title or an answer must not steer the terminal. */
const UNSAFE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff0-\uffff]/gu;
const UNSAFE_IN_TEXT = /(?![\n\t])[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** One line: white space folded, unsafe characters gone. */
export function printable(text: string): string {
  return text.replace(/\s+/gu, ' ').replace(UNSAFE, '').trim();
}

/** Several lines: as they are, without what would steer the terminal. */
export function printableText(text: string): string {
  return text.replace(/\r\n/gu, '\n').replace(UNSAFE_IN_TEXT, '');
}

/** Ranges that take two cells: East Asian wide and full-width, and what is drawn as a picture. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x23f0, 0x23f0],
  [0x23f3, 0x23f3],
  [0x25fd, 0x25fe],
  [0x2614, 0x2615],
  [0x2630, 0x2637],
  [0x2648, 0x2653],
  [0x267f, 0x267f],
  [0x268a, 0x268f],
  [0x2693, 0x2693],
  [0x26a1, 0x26a1],
  [0x26aa, 0x26ab],
  [0x26bd, 0x26be],
  [0x26c4, 0x26c5],
  [0x26ce, 0x26ce],
  [0x26d4, 0x26d4],
  [0x26ea, 0x26ea],
  [0x26f2, 0x26f3],
  [0x26f5, 0x26f5],
  [0x26fa, 0x26fa],
  [0x26fd, 0x26fd],
  [0x2705, 0x2705],
  [0x270a, 0x270b],
  [0x2728, 0x2728],
  [0x274c, 0x274c],
  [0x274e, 0x274e],
  [0x2753, 0x2755],
  [0x2757, 0x2757],
  [0x2795, 0x2797],
  [0x27b0, 0x27b0],
  [0x27bf, 0x27bf],
  [0x2b1b, 0x2b1c],
  [0x2b50, 0x2b50],
  [0x2b55, 0x2b55],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4dc0, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x191ff],
  [0x1aff0, 0x1b2ff],
  [0x1d300, 0x1d376],
  [0x1f004, 0x1f004],
  [0x1f0cf, 0x1f0cf],
  [0x1f18e, 0x1f18e],
  [0x1f191, 0x1f19a],
  [0x1f1e6, 0x1f265],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f774, 0x1f77f],
  [0x1f7d5, 0x1f7ff],
  [0x1f90c, 0x1faff],
  [0x20000, 0x3fffd],
];
const ASCII = /^[\x20-\x7e]*$/u;
const ZERO = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]$/u;
/** Marks that stand beside their letter instead of over it. */
const SPACING_MARK = /^\p{Mc}$/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Width in cells; where terminals disagree, the greater one. */
export function cells(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += cellsOfGrapheme(segment);
  return width;
}

function cellsOfGrapheme(grapheme: string): number {
  let width = 0;
  let beside = 0;
  for (const character of grapheme) {
    const code = character.codePointAt(0) ?? 0;
    // An emoji presentation selector makes a picture of a sign.
    if (code === 0xfe0f) width = Math.max(width, 2);
    else if (SPACING_MARK.test(character)) beside++;
    else if (!ZERO.test(character)) width = Math.max(width, isWide(code) ? 2 : 1);
  }
  return width + beside;
}

function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  let low = 0;
  let high = WIDE.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = WIDE[middle] ?? [0, 0];
    if (code < first) high = middle - 1;
    else if (code > last) low = middle + 1;
    else return true;
  }
  return false;
}

/** The beginning of a text in at most `width` cells, with `…` where something was cut. */
export function fit(text: string, width: number): string {
  if (cells(text) <= width) return text;
  if (width <= 0) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const next = cellsOfGrapheme(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

/** A text in exactly `width` cells. */
export function pad(text: string, width: number, side: 'start' | 'end' = 'end'): string {
  const fitted = fit(text, width);
  const blanks = ' '.repeat(Math.max(0, width - cells(fitted)));
  return side === 'end' ? fitted + blanks : blanks + fitted;
}
