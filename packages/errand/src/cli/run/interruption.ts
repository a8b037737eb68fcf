import { type EndSignal, SIGNAL_EXITS } from '../../app/exit-codes.ts';
import type { Surroundings } from '../around/surroundings.ts';

/** Terminal, npm and a supervisor may each pass on the same Ctrl-C; within this time, in ms, it is one. */
const SAME_SIGNAL = 200;
/** What an end at once still waits for the record to settle, in milliseconds. */
const LAST_MOMENT = 300;

/** The first signal stops gently, the second ends at once. */
export class Interruption {
  /** The signal that was first, if any. */
  signal: EndSignal | null = null;
  readonly #around: Surroundings;
  readonly #release: () => void;
  #cancel: (() => void) | null = null;
  #say: (line: string) => void;
  #last = Number.NEGATIVE_INFINITY;
  #ending = false;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#say = (line) => around.stderr.write(`${line}\n`);
    this.#release = around.onSignal((signal) => this.#take(signal));
  }

  /** What stops the run, and how to tell; called at once where a signal has come before. */
  attach(cancel: () => void, say: (line: string) => void): void {
    this.#cancel = cancel;
    this.#say = say;
    if (this.signal) cancel();
  }

  /** Gives the signals back. */
  release(): void {
    this.#release();
  }

  #take(signal: EndSignal): void {
    const { clock, exit } = this.#around;
    const again = clock.monotonic() - this.#last < SAME_SIGNAL;
    this.#last = clock.monotonic();
    if (again || this.#ending) return;
    if (this.signal === null) {
      this.signal = signal;
      this.#say(signal === 'SIGINT' ? 'stopping; press Ctrl-C again to end at once' : 'stopping');
      this.#cancel?.();
      return;
    }
    this.#ending = true;
    const code = SIGNAL_EXITS[signal];
    clock.timer(LAST_MOMENT, () => exit(code));
  }
}
