import { JOURNAL_FORMAT, type RunSpec } from '../../domain/run/event.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import type { CancelReason } from '../../domain/run/status.ts';
import type { Model } from '../../ports/model.ts';
import type { Turn } from '../admission/turn.ts';
import { launchHelper } from '../delegation/launch.ts';
import { drive } from '../loop/drive.ts';
import { LiveRun } from '../loop/live-run.ts';
import type { Services } from '../services.ts';
import { Outfitter } from './outfit.ts';

/** What is decided about a run before it exists. */
export type NewRun = Omit<RunSpec, 'root_id' | 'system' | 'tools' | 'boot_id' | 'format' | 'flags'> & {
  readonly run_id: string;
  readonly parent: LiveRun | null;
  readonly turn: Turn;
  readonly connection: Model;
  readonly helperLimits: RunLimits;
};

/** The runs that live in this process: created, driven, found and stopped here. */
export class Supervisor {
  readonly services: Services;
  readonly #live = new Map<string, LiveRun>();
  readonly #outfitter: Outfitter;
  /** Being created: admitted, not yet live. */
  #coming = 0;

  constructor(services: Services) {
    this.services = services;
    this.#outfitter = new Outfitter(services);
  }

  /** In words, why no further run can be admitted; null when one can. */
  get full(): string | null {
    const { max_admitted } = this.services.limits;
    const admitted = this.#live.size + this.#coming;
    if (admitted < max_admitted) return null;
    const queued = this.services.slots.queued;
    return `${admitted} runs live already (${queued} of them queued), and ${max_admitted} is the limit (limits.max_admitted). Wait for some to end, or do the work yourself.`;
  }

  find(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  all(): LiveRun[] {
    return [...this.#live.values()];
  }

  /**
   * Creates a run and sets it going. What is asked for has been checked by the caller;
   * `isStopped` is asked once more after the last wait, right before the run exists.
   */
  async create(request: NewRun, isStopped: () => boolean = () => false): Promise<LiveRun | null> {
    const { clock, bootId } = this.services;
    const { run_id, parent, turn, connection, helperLimits, ...spec } = request;
    const kind = parent ? 'helper' : 'root';
    const { role, cwd, authority } = spec;
    this.#coming++;
    const outfit = await this.#outfitter.outfit({ kind, role, cwd, authority, turn }).finally(() => this.#coming--);
    if (isStopped()) return null;
    const run = new LiveRun(
      this.services,
      {
        model: connection,
        system: outfit.system,
        declarations: outfit.declarations,
        workspace: outfit.workspace,
        turn,
        helperLimits,
        delegate: (parentRun, args, call) => launchHelper(this, parentRun, { args, ...call }),
      },
      {
        type: 'run.created',
        run_id,
        parent_id: parent?.state.run_id ?? null,
        seq: 1,
        at: clock.now(),
        ...spec,
        root_id: parent?.state.spec.root_id ?? run_id,
        system: outfit.systemAddress,
        tools: outfit.toolsAddress,
        boot_id: bootId,
        format: JOURNAL_FORMAT,
        flags: [],
      },
    );
    this.#live.set(run_id, run);
    void drive(run).finally(() => this.#live.delete(run_id));
    return run;
  }

  /** Stops a run; its helpers follow, since the calls that wait for them end with it. */
  cancel(run: LiveRun, reason: CancelReason): void {
    if (!run.scope.cancel({ state: 'cancelled', reason })) return;
    if (run.state.phase !== 'ended') run.record({ type: 'cancel.asked', reason });
  }
}
