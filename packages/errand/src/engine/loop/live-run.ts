import { Scope } from '../../base/abort.ts';
import { apply } from '../../domain/run/apply.ts';
import type { RunEvent, RunEventBody } from '../../domain/run/event.ts';
import { recordOf } from '../../domain/run/record.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { Ending } from '../../domain/run/status.ts';
import type { Workspace } from '../../ports/files.ts';
import type { Model, ToolDeclaration } from '../../ports/model.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import type { Turn } from '../admission/turn.ts';
import type { Services } from '../services.ts';
import { ActiveTime } from './active-time.ts';

/** Why a run is stopped from outside its own course. */
export type StopReason = Exclude<Ending, { state: 'completed' }>;

/** What a run is driven with: the frozen prefix of its calls, its model with its credentials, its files. */
export interface Equipment {
  readonly model: Model;
  readonly system: string;
  /** Same array for all runs that are offered the same: the same bytes for the provider. */
  readonly declarations: readonly ToolDeclaration[];
  readonly workspace: Workspace;
  readonly turn: Turn;
  /** Of the lease on the tree under which this run is written. */
  readonly epoch: number;
  /** Launches a helper of `run` for its call and waits for the ending. */
  readonly delegate: (run: LiveRun, args: unknown, call: DelegateCall) => Promise<ToolOutcome>;
}

export interface DelegateCall {
  readonly callId: string;
  /** Ends with the call, its step or its run. */
  readonly signal: AbortSignal;
  /** The call had started before a restart: its helper may be there already. */
  readonly again: boolean;
}

/** A run under way in this process. Its state changes by recorded events alone. */
export class LiveRun {
  readonly services: Services;
  readonly equipment: Equipment;
  readonly state: RunState;
  readonly scope = new Scope<StopReason>();
  readonly active: ActiveTime;
  /** Settles when the run is at rest and that is recorded; rejects when it could not be. */
  readonly ended: Promise<void>;
  resolveEnded!: () => void;
  rejectEnded!: (error: unknown) => void;
  /** Text as it streams; for live views. */
  onText: ((delta: string) => void) | null = null;
  holdsSlot = false;
  /** Monotonic time of the last sign of life. */
  lastProgress = 0;
  /** Characters of helpers' answers already handed over in this step, and how many answers are still to come. */
  answerCharacters = 0;
  answersToCome = 0;
  /** Nothing of it is left on record. */
  withdrawn = false;
  #recorded: Promise<void> = Promise.resolve();

  /** `state`: as its recorded events have left it, new or back from rest. */
  constructor(services: Services, equipment: Equipment, state: RunState) {
    this.services = services;
    this.equipment = equipment;
    this.state = state;
    this.active = new ActiveTime(services.clock, state.activeMs);
    this.ended = new Promise((resolve, reject) => {
      this.resolveEnded = resolve;
      this.rejectEnded = reject;
    });
    // Whoever waits sees the rejection; a run that nobody waits for must not bring the process down.
    this.ended.catch(() => {});
  }

  get isHelper(): boolean {
    return this.state.parent_id !== null;
  }

  /** Takes events into the state and hands them to the journal, in order. */
  record(...bodies: readonly RunEventBody[]): void {
    this.append(this.#take(bodies));
  }

  #take(bodies: readonly RunEventBody[]): readonly RunEvent[] {
    const { run_id, parent_id } = this.state;
    const at = Math.max(this.services.clock.now(), this.state.at);
    const events: RunEvent[] = [];
    for (const body of bodies) {
      const event = { run_id, parent_id, seq: this.state.seq + 1, at, ...body } as RunEvent;
      apply(this.state, event);
      events.push(event);
    }
    this.lastProgress = this.services.clock.monotonic();
    return events;
  }

  /** Settles when everything recorded so far is durable. */
  recorded(): Promise<void> {
    return this.#recorded;
  }

  /** Ends a root of which nothing is to be left: taken off the record in one step, instead of being settled there first. */
  withdraw(ending: RunEventBody): void {
    this.#take([ending]);
    this.withdrawn = true;
    this.#recorded = this.services.journal.discard(this.state.run_id, this.equipment.epoch);
    this.#recorded.catch((error: unknown) => this.#onLost(error));
  }

  /** Gives the slot back: what only waits holds none. */
  giveSlot(): void {
    if (!this.holdsSlot) return;
    this.holdsSlot = false;
    this.services.slots.give(this.isHelper);
  }

  /** Hands events that are in the state already to the journal. */
  append(events: readonly RunEvent[]): void {
    // The journal keeps the order of appends, so the last one stands for all before it.
    const appended = this.services.journal.append([
      { run_id: this.state.run_id, events, record: recordOf(this.state), epoch: this.equipment.epoch },
    ]);
    this.#recorded = appended;
    appended.catch((error: unknown) => this.#onLost(error));
  }

  #onLost(error: unknown): void {
    // What cannot be recorded is not acted on: the run stops, and whoever waits for it is told.
    this.rejectEnded(error);
    this.scope.cancel({ state: 'failed', reason: 'internal' });
  }
}
