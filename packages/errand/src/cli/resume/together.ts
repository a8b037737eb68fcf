import type { Settings } from '../../app/config/settings.ts';
import { EXIT, exitOfRefusal, exitOfResult, SIGNAL_EXITS } from '../../app/exit-codes.ts';
import type { RunHandle } from '../../app/face.ts';
import type { OutputFormat } from '../../app/options.ts';
import { messageOf } from '../../base/errors.ts';
import { Failure, storeFailure } from '../around/failure.ts';
import { type Flags, openService, settingsOf } from '../around/open.ts';
import type { CommandRuntime, Surroundings } from '../around/surroundings.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { answeredHelpers } from '../run/answered-helpers.ts';
import { watch } from '../run/follow.ts';
import type { Interruption } from '../run/interruption.ts';
import { createPresenter } from '../run/presenter.ts';
import type { Progress } from '../run/progress.ts';
import type { Candidate } from './candidates.ts';
import type { Finished, Left, Outcome } from './outcomes.ts';
import { displayFlags } from './resume-flags.ts';

export interface Stage {
  readonly flags: Flags;
  readonly around: Surroundings;
  readonly interruption: Interruption;
  readonly progress: Progress;
  readonly format: OutputFormat;
  /** When the runs begin to go on, once they do. */
  readonly began: { at: number };
}

/** Runs that go on beside each other. */
export class Together {
  readonly #stage: Stage;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #live = new Set<RunHandle>();
  /** Nobody is left to answer to. */
  #abandoned = false;

  constructor(stage: Stage) {
    this.#stage = stage;
    const { around, interruption, progress } = stage;
    interruption.attach(() => this.#cancel('signal'), progress.remark);
    around.stdout.onClosed(() => {
      this.#abandoned = true;
      this.#cancel('session_end');
    });
  }

  /** Settles when all are at rest; an outcome for each that was found, in its order. One that breaks holds up no other. */
  async goOn(found: readonly (Candidate | Left)[]): Promise<readonly Outcome[]> {
    const candidates = found.filter((each) => 'limits' in each);
    for (const [folder, group] of Map.groupBy(candidates, ({ record }) => record.cwd)) {
      if (!this.#isOver) await this.#goOnIn(folder, group);
    }
    return found.map((each) =>
      'limits' in each ? (this.#outcomes.get(each.record.run_id) ?? this.#notItsTurn(each)) : each,
    );
  }

  /** With the configuration of their folder; at most as many at once as may work at once. */
  async #goOnIn(folder: string, group: readonly Candidate[]): Promise<void> {
    const { around, began } = this.#stage;
    const settings = await this.#settingsIn(folder, group);
    if (!settings) return;
    const service = await openService(around, settings, 'run');
    began.at = Math.min(began.at, around.clock.now());
    try {
      const queue = [...group];
      const work = async () => {
        for (let next = queue.shift(); next && !this.#isOver; next = queue.shift()) {
          this.#outcomes.set(next.record.run_id, await this.#outcomeOf(next, service.runtime));
        }
      };
      await Promise.all(Array.from({ length: settings.limits.max_concurrent }, work));
    } finally {
      await service.close();
    }
  }

  async #settingsIn(folder: string, group: readonly Candidate[]): Promise<Settings | null> {
    const { around, flags } = this.#stage;
    try {
      return await settingsOf(around, displayFlags(flags, folder));
    } catch (error) {
      for (const { record } of group) {
        this.#outcomes.set(record.run_id, { record, message: messageOf(error), exit: EXIT.unusable });
      }
      return null;
    }
  }

  async #outcomeOf(candidate: Candidate, runtime: CommandRuntime): Promise<Outcome> {
    try {
      return await this.#attempt(candidate, runtime);
    } catch (error) {
      const { exit } = (error instanceof Failure ? error : storeFailure(error)) ?? { exit: EXIT.failed };
      return { record: candidate.record, message: messageOf(error), exit };
    }
  }

  async #attempt({ record, limits }: Candidate, runtime: CommandRuntime): Promise<Finished | Left> {
    const { around, format, interruption, progress } = this.#stage;
    const resumed = await runtime.resume({ runId: record.run_id, limits });
    if (!resumed.ok) {
      const { code, message } = resumed.error;
      // What another process works at, or has deleted, is well.
      const isElsewhere = code === 'running' || code === 'not_found';
      return { record, message, exit: isElsewhere ? EXIT.completed : exitOfRefusal(resumed.error) };
    }
    const handle = resumed.value;
    this.#live.add(handle);
    if (this.#isOver) handle.cancel(this.#abandoned ? 'session_end' : 'signal');
    const lines = format === 'stream-json' ? createPresenter(format, around.stdout) : null;
    try {
      const result = await watch({
        handle,
        runtime,
        show(events) {
          progress.events(events);
          lines?.events(events);
        },
        hear: progress.text,
      });
      lines?.result(result);
      const goOn = await howToGoOn(runtime, result);
      const readable = await answeredHelpers(runtime, result);
      return { record, result, goOn, readable, exit: exitOfResult(result, interruption.signal) };
    } finally {
      this.#live.delete(handle);
    }
  }

  #notItsTurn({ record }: Candidate): Left {
    const { signal } = this.#stage.interruption;
    const exit = signal === null ? EXIT.cancelled : SIGNAL_EXITS[signal];
    return { record, message: 'this was stopped before its turn.', exit };
  }

  get #isOver(): boolean {
    return this.#abandoned || this.#stage.interruption.signal !== null;
  }

  #cancel(reason: 'signal' | 'session_end'): void {
    for (const handle of this.#live) handle.cancel(reason);
  }
}
