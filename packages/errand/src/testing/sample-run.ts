import { apply, begin } from '../domain/run/apply.ts';
import { JOURNAL_FORMAT, type RunEvent, type RunEventBody } from '../domain/run/event.ts';
import { recordOf } from '../domain/run/record.ts';
import type { RunState } from '../domain/run/state.ts';
import { NO_USAGE } from '../domain/run/usage.ts';
import type { Journal, JournalEntry } from '../ports/journal.ts';

export interface SampleRunOptions {
  readonly run_id: string;
  /** Default: a root of its own. */
  readonly parent?: SampleRun;
  /** Milliseconds since the epoch; each event is one later. Default 1,000. */
  readonly at?: number;
  readonly opening?: string;
  /** Content addresses of texts that the journal holds. Default: of none. */
  readonly system?: string;
  readonly tools?: string;
}

/** Makes what an engine would record of a run, without an engine. */
export class SampleRun {
  readonly run_id: string;
  readonly root_id: string;
  /** All that was made so far. */
  readonly events: RunEvent[] = [];
  readonly #options: SampleRunOptions;
  /** Epoch of the lease under which a root and its children are written. */
  #epoch = 1;
  #state: RunState | undefined;
  #at: number;

  constructor(options: SampleRunOptions) {
    this.#options = options;
    this.run_id = options.run_id;
    this.root_id = options.parent?.root_id ?? options.run_id;
    this.#at = options.at ?? 1_000;
  }

  get epoch(): number {
    return this.#options.parent?.epoch ?? this.#epoch;
  }

  /** Claims the run's tree for a process, whoever holds it; what is made from now on is written under that lease. */
  async claim(journal: Journal, bootId = 'boot_sample'): Promise<void> {
    if (this.#options.parent) return this.#options.parent.claim(journal, bootId);
    const answer = await journal.claim({ root_id: this.root_id, boot_id: bootId, mayTake: () => true });
    if (!answer.ok) throw new Error(`${this.root_id} cannot be claimed`);
    this.#epoch = answer.epoch;
  }

  /** The entry that creates the run. */
  create(): JournalEntry {
    return this.next(this.#created());
  }

  /** The entry that adds these events to the run. */
  next(...bodies: readonly RunEventBody[]): JournalEntry {
    const events = bodies.map((body) => this.#add(body));
    if (!this.#state) throw new Error('a run begins with create()');
    // A copy: a record shares its lists with the state, which goes on changing.
    return { run_id: this.run_id, events, record: structuredClone(recordOf(this.#state)), epoch: this.epoch };
  }

  /** One step with one call of a tool: five events, in the entries in which an engine would record them. */
  step(output = 'three lines'): readonly JournalEntry[] {
    const step = this.#at;
    const call_id = `call_${step}`;
    return [
      this.next({ type: 'model.started', step, attempt: 1, report: null }),
      this.next({
        type: 'model.finished',
        step,
        text: 'Looking at the file.',
        calls: [{ call_id, name: 'read_file', args: '{"path":"src/index.ts"}' }],
        finish: 'tool_calls',
        usage: { ...NO_USAGE, input: 100, output: 10 },
        model_used: 'sample-1',
        active_ms: step,
        ms: 5,
      }),
      this.next(
        { type: 'tool.started', step, call_id, name: 'read_file', args: '{"path":"src/index.ts"}', risk: 'read' },
        { type: 'tool.finished', step, call_id, name: 'read_file', status: 'ok', output, ms: 1, active_ms: step },
      ),
    ];
  }

  start(): JournalEntry {
    return this.next({ type: 'run.started' });
  }

  settle(answer = 'SUMMARY: done'): JournalEntry {
    const ending = { state: 'completed', reason: null, ending: 1, partial: false } as const;
    return this.next({ type: 'run.settled', ...ending, answer, message: 'It stopped by itself.', active_ms: this.#at });
  }

  #add(body: RunEventBody): RunEvent {
    const event: RunEvent = {
      run_id: this.run_id,
      parent_id: this.#options.parent?.run_id ?? null,
      seq: this.events.length + 1,
      at: this.#at++,
      ...body,
    };
    this.events.push(event);
    if (event.type === 'run.created') this.#state = begin(event);
    else if (this.#state) apply(this.#state, event);
    return event;
  }

  #created(): Extract<RunEventBody, { type: 'run.created' }> {
    const { parent, opening = 'Another model asks: count the lines.', system = '', tools = '' } = this.#options;
    return {
      type: 'run.created',
      root_id: this.root_id,
      session_id: 'session_sample',
      call_id: parent ? 'call_agent' : null,
      depth: parent ? 1 : 0,
      role: 'worker',
      title: 'count the lines',
      task: 'count the lines',
      model: 'sample/sample-1',
      asked_model: null,
      model_from: 'config',
      effort: null,
      window: null,
      authority: {
        mode: 'plan',
        risks: ['none', 'read'],
        allow: null,
        deny: [],
        families: null,
        read_roots: ['/workspace'],
        commands: 'none',
        network: false,
        depth_left: 1,
        unattended: true,
      },
      limits: { steps: 40, tool_calls: 100, wall_ms: null },
      helper_limits: { steps: 40, tool_calls: 100, wall_ms: null },
      max_per_turn: 16,
      cwd: '/workspace',
      system,
      tools,
      opening,
      boot_id: 'boot_sample',
      format: JOURNAL_FORMAT,
      flags: [],
    };
  }
}
