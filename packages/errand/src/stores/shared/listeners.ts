import type { RunEvent } from '../../domain/run/event.ts';

export type CommitListener = (events: readonly RunEvent[]) => void;

/** Who is told of commits. A listener that throws becomes a warning: it cannot undo a commit or keep it from the others. */
export class Listeners {
  readonly #listeners = new Set<{ readonly call: CommitListener }>();

  get size(): number {
    return this.#listeners.size;
  }

  /** Returns what removes it; calling that twice is harmless. */
  add(call: CommitListener): () => void {
    const listener = { call };
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  notify(events: readonly RunEvent[]): void {
    for (const { call } of [...this.#listeners]) guarded(() => call(events));
  }

  clear(): void {
    this.#listeners.clear();
  }
}

/** Runs a foreign function; what it throws becomes a warning of the process. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}
