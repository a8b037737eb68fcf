import { CodedError } from '../../base/errors.ts';
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
import { type Outfit, Outfitter } from './outfit.ts';

/** Epoch of a lease that nobody held before. */
const FIRST_EPOCH = 1;

/** What is decided about a run before it exists. */
export type NewRun = Omit<RunSpec, 'root_id' | 'system' | 'tools' | 'boot_id' | 'format' | 'flags'> & {
  readonly run_id: string;
  readonly parent: LiveRun | null;
  readonly turn: Turn;
  readonly connection: Model;
  /** Of the lease that is held already on the tree whose root this becomes; left out, nobody else can know of it. */
  readonly epoch?: number;
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
  /** By tree: how much work under way needs its lease. */
  readonly #holds = new Map<string, number>();
  readonly #lines = new Map<string, Promise<unknown>>();
  readonly #closing = new AbortController();

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

  /** Ends whatever is waited for when this instance is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  find(runId: string): LiveRun | undefined {
    return this.#live.get(runId);
  }

  /** The run that lives here and goes on from another, which may not be on record yet. */
  findSuccessor(runId: string): LiveRun | undefined {
    return this.all().find(({ state }) => state.spec.resumed_from === runId);
  }

  /** The helper count of a tree that lives here. */
  turnOf(rootId: string): Turn | undefined {
    return this.all().find((run) => run.state.spec.root_id === rootId)?.equipment.turn;
  }

  /** Keeps the lease on a tree, once it is claimed, until the returned function is called; whoever lets go last gives it back. */
  hold(rootId: string): () => void {
    this.#holds.set(rootId, (this.#holds.get(rootId) ?? 0) + 1);
    return () => {
      const left = (this.#holds.get(rootId) ?? 1) - 1;
      this.#holds.set(rootId, left);
      if (left > 0) return;
      this.#holds.delete(rootId);
      const { journal, bootId } = this.services;
      // A lease that could not be given back ends with this process.
      journal.release(rootId, bootId).catch(() => {});
    };
  }

  /** One act after the other for each key: what one has found out still holds when it acts upon it. */
  async inLine<Value>(key: string, act: () => Promise<Value>): Promise<Value> {
    const before = this.#lines.get(key) ?? Promise.resolve();
    const own = before.then(act, act);
    this.#lines.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#lines.get(key) === own) this.#lines.delete(key);
    }
  }

  all(): LiveRun[] {
    return [...this.#live.values()];
  }

  /**
   * Creates a run and sets it going. What is asked for has been checked by the caller;
   * `mayBegin` is asked once more after the last wait, right before the run exists; null: it said no.
   */
  async create(request: NewRun, mayBegin: () => boolean = () => true): Promise<LiveRun | null> {
    const { role, cwd, authority, parent, turn } = request;
    const kind = parent ? 'helper' : 'root';
    this.#coming++;
    try {
      const outfit = await this.#outfitter.outfit({ kind, role, cwd, authority, turn });
      this.#checkOpen();
      return mayBegin() ? this.#begin(request, outfit) : null;
    } finally {
      this.#coming--;
    }
  }

  /** In one go, so that a run which is no longer coming is live. */
  #begin(request: NewRun, outfit: Outfit): LiveRun {
    const { clock, bootId } = this.services;
    const { run_id, parent, turn, connection, epoch: claimed, ...spec } = request;
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
    const epoch = parent?.equipment.epoch ?? claimed ?? FIRST_EPOCH;
    if (!parent && claimed === undefined) this.#claimNew(run_id);
    const run = new LiveRun(
      this.services,
      { model: connection, system, declarations, workspace, turn, epoch, delegate: this.#delegate },
      begin(created),
    );
    run.append([created]);
    this.#drive(run);
    return run;
  }

  /** Sets an interrupted or queued run going again, with everything it had. The error says in one sentence why it cannot go on. */
  async revive(state: RunState, options: ReviveOptions): Promise<Result<LiveRun, string>> {
    const { models, bootId } = this.services;
    const { turn, epoch } = options;
    const connected = await models.connect(state.spec.model);
    if (!connected.ok) return connected;
    const { system, declarations, workspace } = await this.#outfitter.frozen(state.spec, turn);
    this.#checkOpen();
    const run = new LiveRun(
      this.services,
      { model: connected.value, system, declarations, workspace, turn, epoch, delegate: this.#delegate },
      state,
    );
    run.record(...resumption(state, bootId, options.limits ?? state.limits));
    this.#drive(run);
    return succeed(run);
  }

  /** Stops all that lives here, and lets nothing new begin; settles when they are at rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    const live = this.all();
    for (const run of live) this.cancel(run, 'session_end');
    await Promise.allSettled(live.map((run) => run.ended));
  }

  /** Asked after the last wait before a run begins or goes on. */
  #checkOpen(): void {
    if (this.closing.aborted) throw new CodedError<'closed'>('closed', 'Errand is being closed; nothing new begins.');
  }

  #claimNew(rootId: string): void {
    const { journal, bootId } = this.services;
    // If it fails, so does the append behind it, and that is where the run learns of it.
    journal.claim({ root_id: rootId, boot_id: bootId, mayTake: () => false }).catch(() => {});
  }

  #drive(run: LiveRun): void {
    this.#live.set(run.state.run_id, run);
    this.#beat.start();
    const letGo = this.hold(run.state.spec.root_id);
    void drive(run).finally(() => {
      this.#live.delete(run.state.run_id);
      if (this.#live.size === 0) this.#beat.stop();
      letGo();
    });
  }

  /** Stops a run; its helpers follow, since the calls that wait for them end with it. */
  cancel(run: LiveRun, reason: CancelReason): void {
    if (!run.scope.cancel({ state: 'cancelled', reason })) return;
    if (run.state.phase !== 'ended') run.record({ type: 'cancel.asked', reason });
  }
}
