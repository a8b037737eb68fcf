import type { ReplayReport } from '../../app/face.ts';
import { printable } from '../../terminal/text.ts';

/** Characters of an event that are shown, a few of them before the first that differs. */
const SHOWN = 200;
const BEFORE = 40;

/** A replay in words. */
export function courseOf({ events, differences }: ReplayReport): string {
  if (differences.length === 0) return `took the same course: ${events} events\n`;
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const parts = differences.map(({ at, recorded, replayed }) => {
    const from = Math.max(0, firstDifference(recorded ?? '', replayed ?? '') - BEFORE);
    return `\nat ${at}\n  recorded  ${excerpt(recorded, from)}\n  replayed  ${excerpt(replayed, from)}\n`;
  });
  return `took another course: ${count}, ${events} events recorded\n${parts.join('')}`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return a === '' || b === '' ? 0 : at;
}

function excerpt(text: string | null, from: number): string {
  if (text === null) return 'nothing';
  const end = from + SHOWN;
  return `${from > 0 ? '…' : ''}${printable(text.slice(from, end))}${text.length > end ? '…' : ''}`;
}
