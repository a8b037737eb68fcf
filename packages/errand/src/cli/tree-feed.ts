import type { Runtime } from '../app/face.ts';
import { isDamaged, isSwept } from '../app/store-fault.ts';
import type { RunEvent } from '../domain/run/event.ts';

/**
 * The events of runs, each once and in order within its run, whatever was missed: what an observer is told may begin
 * late, and the journal fills the gap.
 */
export class TreeFeed {
  readonly #runtime: Pick<Runtime, 'events'>;
  readonly #emit: (events: readonly RunEvent[]) => void;
  /** Last `seq` given on, by run. */
  readonly #given = new Map<string, number>();
  /** Runs that are being read from the journal, with the highest `seq` heard of. */
  readonly #behind = new Map<string, number>();
  /** Runs whose last event that was given on is their ending. */
  readonly #ended = new Set<string>();
  /** Runs of which no events are kept. */
  readonly #swept = new Set<string>();
  /** Runs whose events cannot be read, with what says so. */
  readonly #damaged = new Map<string, Error>();
  #reading: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | null = null;

  constructor(runtime: Pick<Runtime, 'events'>, emit: (events: readonly RunEvent[]) => void) {
    this.#runtime = runtime;
    this.#emit = emit;
  }

  /** Takes events as an observer is given them. While anything is being read, later events wait for their turn. */
  accept(events: readonly RunEvent[]): void {
    const next: RunEvent[] = [];
    for (const event of events) {
      const { run_id, seq } = event;
      const given = this.#given.get(run_id) ?? 0;
      if (seq <= given) continue;
      if (this.#behind.size === 0 && seq === given + 1) {
        this.#note(event);
        next.push(event);
      } else {
        this.#readUpTo(run_id, seq);
      }
    }
    if (next.length > 0) this.#emit(next);
  }

  /** Gives on what the journal holds of these runs beyond what was given on already; rejects where the store fails. What is no longer kept, or damaged, is passed over. */
  async complete(runIds: Iterable<string>): Promise<void> {
    for (const runId of runIds) this.#readUpTo(runId, (this.#given.get(runId) ?? 0) + 1);
    while (this.#behind.size > 0) await this.#reading;
    if (this.#failure) throw this.#failure.error;
  }

  /** Whether nothing more of a run is to be had: its ending, and nothing after it, was given on, or its events are not kept, or damaged. */
  isOver(runId: string): boolean {
    return this.#ended.has(runId) || this.#swept.has(runId) || this.#damaged.has(runId);
  }

  /** Runs that were asked for and whose events are no longer kept. */
  get swept(): ReadonlySet<string> {
    return this.#swept;
  }

  /** Runs that were asked for and whose events cannot be read, with what says so. */
  get damaged(): ReadonlyMap<string, Error> {
    return this.#damaged;
  }

  #note(event: RunEvent): void {
    this.#given.set(event.run_id, event.seq);
    if (event.type === 'run.settled') this.#ended.add(event.run_id);
    else this.#ended.delete(event.run_id);
  }

  #readUpTo(runId: string, seq: number): void {
    const known = this.#behind.get(runId);
    this.#behind.set(runId, Math.max(known ?? 0, seq));
    if (known !== undefined) return;
    this.#reading = this.#reading
      .then(() => this.#read(runId))
      .catch((error: unknown) => {
        this.#behind.delete(runId);
        this.#failure ??= { error };
      });
  }

  async #read(runId: string): Promise<void> {
    const asked = this.#runtime.events(runId, this.#given.get(runId) ?? 0);
    const events = await asked.catch((error: unknown) => this.#passOver(runId, error));
    const last = events.at(-1);
    if (last) {
      this.#note(last);
      this.#emit(events);
    }
    const wanted = this.#behind.get(runId) ?? 0;
    this.#behind.delete(runId);
    // More was recorded while this was read.
    if (last && wanted > last.seq) this.#readUpTo(runId, wanted);
  }

  #passOver(runId: string, error: unknown): readonly RunEvent[] {
    if (isSwept(error)) this.#swept.add(runId);
    else if (isDamaged(error)) this.#damaged.set(runId, error);
    else throw error;
    return [];
  }
}
