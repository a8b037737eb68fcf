import type { OutputFormat } from '../../app/options.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunResult } from '../../domain/run/result.ts';
import { printableText } from '../../terminal/text.ts';
import { stateInWords } from '../../terminal/words.ts';
import type { Output } from '../around/output.ts';

/** What goes to stdout. Nothing does before it is sure that the run is not withdrawn. */
export interface Presenter {
  events(events: readonly RunEvent[]): void;
  result(result: RunResult): void;
}

/** A presenter shows one run; several of them may share a stream. */
export function createPresenter(format: OutputFormat, stdout: Output): Presenter {
  switch (format) {
    case 'text':
      return { events() {}, result: ({ answer }) => stdout.write(answerText(answer)) };
    case 'json':
      return { events() {}, result: (result) => stdout.write(`${JSON.stringify(result)}\n`) };
    case 'stream-json':
      return new EventLines(stdout);
  }
}

/** An answer is a model's text: what would steer a terminal is taken out, also of what is shown there later. */
export function answerText(answer: string): string {
  const text = printableText(answer);
  if (text === '') return '';
  return text.endsWith('\n') ? text : `${text}\n`;
}

/**
 * One event a line, the result last. The first lines wait until the root's model has answered something: a first call
 * that is refused leaves no trace.
 */
class EventLines implements Presenter {
  readonly #stdout: Output;
  #held: string[] | null = [];
  #root: string | null = null;

  constructor(stdout: Output) {
    this.#stdout = stdout;
  }

  events(events: readonly RunEvent[]): void {
    for (const event of events) {
      this.#root ??= event.run_id;
      const line = `${JSON.stringify(lineOf(event))}\n`;
      if (this.#held) this.#held.push(line);
      else this.#stdout.write(line);
      if (this.#held && (event.run_id !== this.#root || ANSWERED.has(event.type))) this.#release();
    }
  }

  result(result: RunResult): void {
    this.#release();
    this.#stdout.write(`${JSON.stringify(result)}\n`);
  }

  #release(): void {
    if (!this.#held) return;
    this.#stdout.write(this.#held.join(''));
    this.#held = null;
  }
}

const ANSWERED: ReadonlySet<string> = new Set([
  'model.text',
  'model.finished',
  'tool.started',
  'tool.finished',
  'todo.written',
]);

/** The head first, as `docs/stream-json.md` shows it. */
export function lineOf(event: RunEvent): object {
  const { type, run_id, parent_id, seq, at, ...body } = event;
  return { type, run_id, parent_id, seq, at, ...body };
}

/** What is to be said on stderr about an ending that is not whole, with the command that goes on; null: nothing. */
export function remarkOn(result: RunResult, goOn: string | null): string | null {
  if (result.state === 'completed' && !result.partial) return null;
  const what = result.answer === '' ? 'there is no answer' : 'this answer is partial';
  const why = result.message.replace(/[.\s]+$/u, '');
  const next = goOn === null ? '' : `; go on with it: ${goOn}`;
  // The sentence of one that was stopped says by whom.
  const state = result.state === 'cancelled' && why !== '' ? '' : ` [${stateInWords(result)}]`;
  return `errand: ${what}: ${why}${state}; look at it with: errand show ${result.run_id}${next}`;
}
