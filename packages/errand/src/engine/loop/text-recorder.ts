import type { Timer } from '../../base/clock.ts';
import type { LiveRun } from './live-run.ts';

const INTERVAL = 500;

/** Text of the call under way: recorded at most every 500 ms, so that a crash in mid-stream keeps it. */
export class TextRecorder {
  readonly #run: LiveRun;
  readonly #step: number;
  #all = '';
  #recorded = 0;
  #timer: Timer | null = null;
  #closed = false;

  constructor(run: LiveRun, step: number) {
    this.#run = run;
    this.#step = step;
  }

  get all(): string {
    return this.#all;
  }

  add(delta: string): void {
    if (this.#closed || delta === '') return;
    this.#all += delta;
    this.#tell(delta);
    this.#timer ??= this.#run.services.clock.timer(INTERVAL, () => this.#flush());
  }

  /** The call has ended: its outcome carries the whole text. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  /** A view that breaks is no fault of the call. */
  #tell(delta: string): void {
    try {
      this.#run.onText?.(delta);
    } catch {
      this.#run.onText = null;
    }
  }

  #flush(): void {
    this.#timer = null;
    const text = this.#all.slice(this.#recorded);
    this.#recorded = this.#all.length;
    this.#run.record({ type: 'model.text', step: this.#step, text });
  }
}
