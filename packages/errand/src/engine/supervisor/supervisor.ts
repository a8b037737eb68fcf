import { type Result, succeed } from '../../base/result.ts';
import { begin } from '../../domain/run/apply.ts';
import { JOURNAL_FORMAT, type RunSpec } from '../../domain/run/event.ts';
import type { RunLimits } from '../../domain/run/limits.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { CancelReason } from '../../domain/run/status.ts';
import type { Model } from '../../ports/model.ts';
import type { ToolOutcome } from '../../ports/tool.ts';
import type { Turn } from '../admission/turn.ts';
import { drive } from '../loop/drive.ts';
import { type DelegateCall, type Equipment, LiveRun } from '../loop/live-run.ts';
import { resumption } from '../loop/resumption.ts';
import type { Services } from '../services.ts';
import { Beat } from './beat.ts';
import { Outfitter } from './outfit.ts';

/** Epoch of a lease that nobody held before. */
const FIRST_EPOCH = 1;

/** What is decided about a run before it exists. */
export type NewRun = Omit<RunSpec, 'root_id' | 'system' | 'tools' | 'boot_id' | 'format' | 'flags'> & {
  readonly run_id: string;
  readonly parent: LiveRun | null;
  readonly turn: Turn;
  readonly connection: Model;
};

export interface ReviveOptions {
  readonly turn: Turn;
  /** Of the lease on the tree. */
  readonly epoch: number;
  /** Raised bounds; left out, those it had. */
  readonly limits?: RunLimits;
}

export type Launch = (
  supervisor: Supervisor,
  parent: LiveRun,
  call: DelegateCall & { readonly args: unknown },
) => Promise<ToolOutcome>;

/** The runs that live in this process: created, driven, found and stopped here. */
export class Supervisor {
  readonly services: Services;
  readonly #live = new Map<string, LiveRun>();
  readonly #outfitter: Outfitter;
  readonly #delegate: Equipment['delegate'];
  readonly #beat: Beat;
  /** Being created: admitted, not yet live. */
  #coming = 0;

  /** `launch`: carries out a run's call for a helper, by way of this supervisor. */
  constructor(services: Services, launch: Launch) {
    this.services = services;
    this.#delegate = (parent, args, call) => launch(this, parent, { args, ...call });
    this.#outfitter = new Outfitter(services);
    this.#beat = new Beat(services);
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
    const { run_id, parent, turn, connection, ...spec } = request;
    const kind = parent ? 'helper' : 'root';
    const { role, cwd, authority } = spec;
    this.#coming++;
    const outfit = await this.#outfitter.outfit({ kind, role, cwd, authority, turn }).finally(() => this.#coming--);
    if (isStopped()) return null;
    const created = {
      type: 'run.created' as const,
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
    };
    const { system, declarations, workspace } = outfit;
    // Nobody else can hold a tree whose root has just got its id; the claim rides in the transaction of the first event.
    const epoch = parent?.equipment.epoch ?? FIRST_EPOCH;
    if (!parent) this.#claimNew(run_id);
    const run = new LiveRun(
      this.services,
      { model: connection, system, declarations, workspace, turn, epoch, delegate: this.#delegate },
      begin(created),
    );
    run.append([created]);
    this.#drive(run);
    return run;
  }

  /**
   * Sets a recorded run going again, with everything it had: an interrupted one under `limits`, a queued one for the first time.
   * The error says in one sentence why it cannot go on.
   */
  async revive(state: RunState, options: ReviveOptions): Promise<Result<LiveRun, string>> {
    const { models, files, bootId } = this.services;
    const { spec } = state;
    const connected = await models.connect(spec.model);
    if (!connected.ok) return connected;
    const frozen = await this.#outfitter.frozen(spec);
    const { system, declarations } = frozen;
    const workspace = files.workspace(spec.cwd);
    const { turn, epoch } = options;
    const run = new LiveRun(
      this.services,
      { model: connected.value, system, declarations, workspace, turn, epoch, delegate: this.#delegate },
      state,
    );
    if (state.state === 'interrupted') run.record(...resumption(state, bootId, options.limits ?? state.limits));
    this.#drive(run);
    return succeed(run);
  }

  #claimNew(rootId: string): void {
    const { journal, bootId } = this.services;
    // If it fails, so does the append behind it, and that is where the run learns of it.
    journal.claim({ root_id: rootId, boot_id: bootId, mayTake: () => false }).catch(() => {});
  }

  #drive(run: LiveRun): void {
    this.#live.set(run.state.run_id, run);
    this.#beat.start();
    void drive(run).finally(() => this.#onRest(run));
  }

  #onRest(run: LiveRun): void {
    const { journal, bootId } = this.services;
    const { run_id, spec } = run.state;
    this.#live.delete(run_id);
    if (this.#live.size === 0) this.#beat.stop();
    if (this.all().some((other) => other.state.spec.root_id === spec.root_id)) return;
    // A lease that could not be given back ends with this process.
    journal.release(spec.root_id, bootId).catch(() => {});
  }

  /** Stops a run; its helpers follow, since the calls that wait for them end with it. */
  cancel(run: LiveRun, reason: CancelReason): void {
    if (!run.scope.cancel({ state: 'cancelled', reason })) return;
    if (run.state.phase !== 'ended') run.record({ type: 'cancel.asked', reason });
  }
}
