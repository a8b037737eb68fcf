import type { OutputFormat } from '../../app/options.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { printable } from '../../terminal/text.ts';
import { oneLine } from '../around/failure.ts';
import type { Surroundings } from '../around/surroundings.ts';
import { answerText, remarkOn } from '../run/presenter.ts';
import { setApart } from '../run/progress.ts';

/** A run that went on until it was at rest. `goOn`: the command that goes on with it again, if one can. */
export interface Finished {
  readonly record: RunRecord;
  readonly exit: number;
  readonly result: RunResult;
  readonly goOn: string | null;
  /** How to read what its helpers had answered, where it did not complete. */
  readonly readable: readonly string[];
}

/** A run that was left as it is, and why. */
export interface Left {
  readonly record: RunRecord;
  readonly exit: number;
  readonly message: string;
}

export type Outcome = Finished | Left;

/** Says on stderr what is not whole, and prints the answers. */
export function showOutcomes(
  outcomes: readonly Outcome[],
  shown: { readonly around: Surroundings; readonly format: OutputFormat; readonly silent: boolean },
): void {
  const { around, format, silent } = shown;
  const { stdout, stderr } = around;
  if (outcomes.length === 0) stderr.write('errand: no root run is interrupted or queued.\n');
  for (const outcome of outcomes) {
    const remark = 'result' in outcome ? remarkOn(outcome.result, outcome.goOn) : remarkOnLeft(outcome);
    if (remark) stderr.write(`${oneLine(remark)}\n`);
    for (const line of 'readable' in outcome ? outcome.readable : []) stderr.write(`${line}\n`);
  }
  const finished = outcomes.filter((outcome) => 'result' in outcome);
  if (format === 'text') {
    const answered = finished.filter(({ result }) => result.answer !== '');
    const sections = answered.map(
      ({ record, result }) => `# ${printable(record.title)}\n\n${answerText(result.answer)}`,
    );
    if (sections.length > 0) setApart(around, silent);
    stdout.write(sections.join('\n'));
    return;
  }
  const left = outcomes.filter((outcome) => 'message' in outcome);
  const results = {
    type: 'results',
    results: finished.map(({ result }) => result),
    skipped: left.map(({ record, message }) => ({ run_id: record.run_id, title: record.title, message })),
  };
  stdout.write(`${JSON.stringify(results)}\n`);
}

function remarkOnLeft({ record, message }: Left): string {
  return `errand: ${record.run_id} "${printable(record.title)}" does not go on: ${message}`;
}
