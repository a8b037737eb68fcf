import type { ComparedRun, DiffLine, RunComparison } from '../../domain/run/compare.ts';
import { printable } from '../../terminal/text.ts';
import { foldNames, stateInWords, taken, tokensKnown } from '../../terminal/words.ts';
import { table } from '../table.ts';

/** Lines around one that differs. */
const AROUND = 2;
/** Characters of a call's arguments that are shown. */
const SHOWN = 160;

/** A comparison for a person. */
export function comparisonPage(comparison: RunComparison): string {
  const { a, b, parted_at_step, answer } = comparison;
  const both = (name: string, value: (run: ComparedRun) => string) => [name, value(a), value(b)];
  const facts = table(
    ['', 'A', 'B'],
    [
      both('run', ({ run_id }) => run_id),
      both('title', ({ title }) => printable(title)),
      both('model', ({ model }) => printable(model)),
      both('state', (run) => `${stateInWords(run)}${run.partial ? ', partial' : ''}`),
      both('steps', ({ steps, kept_steps }) => (kept_steps > 0 ? `${steps} after ${kept_steps} kept` : String(steps))),
      both('calls', ({ tool_calls }) => String(tool_calls.length)),
      both('tokens', ({ usage }) => {
        const known = (count: number) => tokensKnown(count, usage.unknown_calls);
        return `${known(usage.input)} in, ${known(usage.output)} out`;
      }),
      both('time', ({ active_ms }) => taken(active_ms)),
    ],
  );
  const course = parted_at_step === null ? 'All steps make the same calls.\n' : parting(comparison, parted_at_step);
  const answers = answer.equal ? 'The answers are equal.\n' : `The answers differ:\n${diffLines(answer.diff)}`;
  return `${facts}\n${course}\n${answers}`;
}

function parting({ a, b }: RunComparison, step: number): string {
  const before = a.tool_calls.filter((call) => call.step < step).map(({ name }) => name);
  const same = before.length > 0 ? ` after ${printable(foldNames(before))}` : '';
  const calls = (name: string, run: ComparedRun) => {
    const made = run.tool_calls.filter((call) => call.step === step);
    if (made.length === 0) return `  ${name}  ${step > run.steps + run.kept_steps ? 'had ended' : 'no call'}\n`;
    return made.map((call) => `  ${name}  ${printable(`${call.name} ${call.args}`.slice(0, SHOWN))}\n`).join('');
  };
  return `They part at step ${step}${same}:\n${calls('a', a)}${calls('b', b)}`;
}

function diffLines(diff: readonly DiffLine[]): string {
  const near = diff.map((_, at) =>
    diff.slice(Math.max(0, at - AROUND), at + AROUND + 1).some((line) => line.in !== 'both'),
  );
  const marks = { both: ' ', a: '-', b: '+' } as const;
  return diff
    .map((line, at) => {
      if (near[at]) return `${marks[line.in]} ${printable(line.text)}\n`;
      return at === 0 || near[at - 1] ? '…\n' : '';
    })
    .join('');
}
