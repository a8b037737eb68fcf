import type {
  ForkRequest,
  ModelUsage,
  ReplayReport,
  ResumeRefusal,
  ResumeRequest,
  RunHandle,
  Runtime,
  StartRefusal,
  StartRequest,
  StopAnswer,
} from '../../src/app/face.ts';
import { CodedError } from '../../src/base/errors.ts';
import type { CommandRuntime } from '../../src/cli/around/surroundings.ts';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { type RunRecord, recordOf } from '../../src/domain/run/record.ts';
import type { RunResult } from '../../src/domain/run/result.ts';
import type { CancelReason } from '../../src/domain/run/status.ts';
import { NO_USAGE } from '../../src/domain/run/usage.ts';

export function sampleResult(run_id: string, changes: Partial<RunResult> = {}): RunResult {
  return {
    type: 'result',
    run_id,
    session_id: `ses_${run_id}`,
    state: 'completed',
    reason: null,
    partial: false,
    answer: 'the answer',
    message: 'completed',
    helpers: [],
    usage: { own: NO_USAGE, total: NO_USAGE },
    cost: { usd: null, complete: false },
    duration_ms: 1_000,
    ...changes,
  };
}

type Listener = (events: readonly RunEvent[]) => void;

/** The runtime port over events that a test tells; a run is whatever its events add up to. */
export class FakeRuntime implements CommandRuntime {
  readonly started: StartRequest[] = [];
  readonly resumed: ResumeRequest[] = [];
  readonly forked: ForkRequest[] = [];
  readonly cancelled: CancelReason[] = [];
  readonly stopped: [string, CancelReason][] = [];
  closed = false;
  closes = 0;
  /** What `start` answers instead of starting. */
  refusal: StartRefusal | null = null;
  stopAnswer: StopAnswer | null = null;
  /** What `resume` and `fork` answer instead of going on, by run. */
  readonly refusals = new Map<string, ResumeRefusal>();
  /** Runs that go on where another was asked for, by that one. */
  readonly successors = new Map<string, string>();
  readonly reports = new Map<string, ReplayReport>();
  /** What `usage` answers. */
  models: readonly ModelUsage[] = [];
  /** Runs whose conversation was deleted; their records stay. */
  readonly swept = new Set<string>();
  /** Filters that records were asked for with. */
  readonly asked: Parameters<Runtime['records']>[0][] = [];
  onCancel: (reason: CancelReason, runId: string) => void = () => {};
  /** Called when a run was asked for and its handle is given out. */
  onStart: (runId: string) => void = () => {};
  readonly #events = new Map<string, RunEvent[]>();
  readonly #results = new Map<string, RunResult>();
  readonly #listeners = new Set<Listener>();
  readonly #hearers = new Map<string, (runId: string, delta: string) => void>();
  readonly #ends = new Map<string, PromiseWithResolvers<RunResult>>();

  /** Records events; `heard`: observers of this process are told which. */
  record(events: readonly RunEvent[], heard = true): void {
    for (const event of events) {
      const list = this.#events.get(event.run_id) ?? [];
      list.push(event);
      this.#events.set(event.run_id, list);
    }
    for (const listener of this.#listeners) listener(heard ? events : []);
  }

  /** Tells observers once more what they were told. */
  repeat(events: readonly RunEvent[]): void {
    for (const listener of this.#listeners) listener(events);
  }

  /** Text of a run's own arrives. */
  write(runId: string, delta: string): void {
    this.#hearers.get(runId)?.(runId, delta);
  }

  get hearers(): number {
    return this.#hearers.size;
  }

  /** Ends the started run. */
  finish(result: RunResult): void {
    this.#results.set(result.run_id, result);
    this.#endOf(result.run_id).resolve(result);
  }

  /** Keeps a result beside the started run's. */
  keep(result: RunResult): void {
    this.#results.set(result.run_id, result);
  }

  /** Takes the started run back. */
  withdraw(error: unknown): void {
    this.#events.clear();
    this.#endOf('root').reject(error);
  }

  /** What a run does breaks. */
  breakOff(runId: string, error: unknown): void {
    this.#endOf(runId).reject(error);
  }

  get observers(): number {
    return this.#listeners.size;
  }

  start: Runtime['start'] = async (request) => {
    if (this.refusal) return { ok: false, error: this.refusal };
    this.started.push(request);
    return { ok: true, value: this.#handleOf('root') };
  };

  resume: Runtime['resume'] = async (request) => {
    const error = this.refusals.get(request.runId);
    if (error) return { ok: false, error };
    this.resumed.push(request);
    return { ok: true, value: this.#handleOf(this.successors.get(request.runId) ?? request.runId) };
  };

  fork: Runtime['fork'] = async (request) => {
    const error = this.refusals.get(request.runId);
    if (error) return { ok: false, error };
    this.#requireKept(request.runId);
    this.forked.push(request);
    return { ok: true, value: this.#handleOf('root') };
  };

  replay: Runtime['replay'] = async (runId) => {
    this.#requireKept(runId);
    return this.reports.get(runId) ?? null;
  };

  stop: Runtime['stop'] = async (runId, reason) => {
    this.stopped.push([runId, reason]);
    if (this.stopAnswer) return this.stopAnswer;
    const record = this.#recordOf(runId);
    return record ? { kind: 'at_rest', record } : { kind: 'not_found' };
  };

  records: Runtime['records'] = async (filter = {}) => {
    this.asked.push(filter);
    const { rootId, since, resumedFrom } = filter;
    return [...this.#events.keys()]
      .flatMap((runId) => this.#recordOf(runId) ?? [])
      .filter(({ root_id }) => rootId === undefined || root_id === rootId)
      .filter(({ resumed_from }) => resumedFrom === undefined || resumed_from === resumedFrom)
      .filter((record) => since === undefined || isSince(record, since));
  };

  result: Runtime['result'] = async (runId) => {
    this.#requireKept(runId);
    return this.#results.get(runId) ?? null;
  };

  events: Runtime['events'] = async (runId, after = 0) => {
    this.#requireKept(runId);
    return (this.#events.get(runId) ?? []).filter(({ seq }) => seq > after);
  };

  usage: Runtime['usage'] = async () => this.models;

  observe: Runtime['observe'] = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  async close(): Promise<void> {
    this.closed = true;
    this.closes++;
  }

  #requireKept(runId: string): void {
    if (this.swept.has(runId)) throw new CodedError('swept', `The conversation of ${runId} was deleted.`);
  }

  #endOf(runId: string): PromiseWithResolvers<RunResult> {
    const end = this.#ends.get(runId) ?? Promise.withResolvers<RunResult>();
    end.promise.catch(() => {});
    this.#ends.set(runId, end);
    return end;
  }

  #handleOf(run_id: string): RunHandle {
    // The handle is out before anything else happens.
    setImmediate(() => this.onStart(run_id));
    return {
      run_id,
      session_id: `ses_${run_id}`,
      result: this.#endOf(run_id).promise,
      observe: (listener) => this.observe(listener),
      observeText: (listener) => {
        this.#hearers.set(run_id, listener);
        return () => this.#hearers.delete(run_id);
      },
      cancel: (reason) => {
        this.cancelled.push(reason);
        this.onCancel(reason, run_id);
      },
    };
  }

  #recordOf(runId: string): RunRecord | null {
    const events = this.#events.get(runId);
    return events ? recordOf(fold(events)) : null;
  }
}

function isSince({ created_at, ended_at }: RunRecord, since: number): boolean {
  return ended_at === null || created_at >= since || ended_at >= since;
}
