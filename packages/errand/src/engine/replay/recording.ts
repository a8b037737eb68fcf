import type { RunEvent } from '../../domain/run/event.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;
type ModelOutcomeEvent = EventOf<'model.finished'> | EventOf<'model.failed'> | EventOf<'transcript.summarised'>;

/** What happened to one run between two rests, to be told to the loop again. */
export class Recording {
  readonly events: readonly RunEvent[];
  readonly #outcomes: ModelOutcomeEvent[];
  readonly #results: EventOf<'tool.finished'>[];

  constructor(events: readonly RunEvent[]) {
    this.events = events;
    this.#outcomes = events.filter(
      (event) =>
        event.type === 'model.finished' || event.type === 'model.failed' || event.type === 'transcript.summarised',
    );
    this.#results = events.filter((event) => event.type === 'tool.finished');
  }

  /** The outcome of the next model call; null when the recording ends before one. */
  nextOutcome(): ModelOutcomeEvent | null {
    return this.#outcomes.shift() ?? null;
  }

  /** The next recorded result of this call. */
  takeResult(callId: string): EventOf<'tool.finished'> | null {
    const index = this.#results.findIndex((event) => event.call_id === callId);
    return index < 0 ? null : (this.#results.splice(index, 1)[0] ?? null);
  }

  /** What was streamed in a call that has no recorded outcome. */
  get danglingText(): string {
    const from = this.events.findLastIndex((event) => event.type === 'model.started');
    return this.events
      .slice(from + 1)
      .map((event) => (event.type === 'model.text' ? event.text : ''))
      .join('');
  }

  get ending(): EventOf<'run.settled'> | null {
    return this.events.findLast((event) => event.type === 'run.settled') ?? null;
  }
}
