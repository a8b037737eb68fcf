import type { Authority } from '../../src/domain/authority/authority.ts';
import type { RunEvent, RunEventBody, RunSpec } from '../../src/domain/run/event.ts';
import { NO_USAGE, type Usage } from '../../src/domain/run/usage.ts';

export const START = Date.UTC(2026, 10, 3, 12, 0, 0);

const authority: Authority = {
  mode: 'plan',
  risks: ['none', 'read'],
  allow: null,
  deny: [],
  families: null,
  read_roots: ['/work'],
  commands: 'none',
  network: false,
  depth_left: 2,
  unattended: true,
};

export interface Cast {
  readonly parent?: string;
  readonly title?: string;
  readonly role?: RunSpec['role'];
  readonly model?: string;
}

/** Tells the events of runs as the journal would hold them; each telling returns what is new. */
export class Story {
  readonly events: RunEvent[] = [];
  #now = START;
  readonly #seq = new Map<string, number>();
  readonly #parents = new Map<string, string | null>();

  /** Lets time pass, in milliseconds. */
  pass(milliseconds: number): this {
    this.#now += milliseconds;
    return this;
  }

  get now(): number {
    return this.#now;
  }

  tell(run_id: string, body: RunEventBody): RunEvent {
    const seq = (this.#seq.get(run_id) ?? 0) + 1;
    this.#seq.set(run_id, seq);
    const event: RunEvent = { run_id, parent_id: this.#parents.get(run_id) ?? null, seq, at: this.#now, ...body };
    this.events.push(event);
    return event;
  }

  create(run_id: string, cast: Cast = {}): RunEvent {
    const { parent = null, title = `task of ${run_id}`, role = parent ? 'scout' : 'worker', model = 'mock/m' } = cast;
    this.#parents.set(run_id, parent);
    const root_id = this.#rootOf(run_id);
    return this.tell(run_id, {
      type: 'run.created',
      root_id,
      session_id: `ses_${root_id}`,
      call_id: parent ? 'call' : null,
      depth: parent ? 1 : 0,
      role,
      title,
      task: title,
      model,
      asked_model: null,
      model_from: parent ? 'parent' : 'config',
      effort: null,
      window: null,
      authority,
      limits: { steps: 60, tool_calls: 400, wall_ms: null },
      helper_limits: { steps: 60, tool_calls: 400, wall_ms: null },
      max_per_turn: 16,
      cwd: '/work',
      system: 'a'.repeat(64),
      tools: 'b'.repeat(64),
      opening: title,
      boot_id: 'boot_1',
      format: 1,
      flags: [],
    });
  }

  start(run_id: string, cast: Cast = {}): RunEvent[] {
    return [this.create(run_id, cast), this.tell(run_id, { type: 'run.started' })];
  }

  /** A finished model call. */
  answer(run_id: string, text: string, given: { calls?: readonly string[]; usage?: Partial<Usage> } = {}): RunEvent[] {
    const names = given.calls ?? [];
    return [
      this.tell(run_id, { type: 'model.started', step: 1, attempt: 1, report: null }),
      this.tell(run_id, {
        type: 'model.finished',
        step: 1,
        text,
        calls: names.map((name, index) => ({ call_id: `${run_id}-${name}-${index}`, name, args: '{}' })),
        finish: names.length > 0 ? 'tool_calls' : 'stop',
        usage: { ...NO_USAGE, ...given.usage },
        model_used: 'm',
        active_ms: 0,
        ms: 10,
      }),
    ];
  }

  startCall(run_id: string, name: string, index = 0): RunEvent {
    const call_id = `${run_id}-${name}-${index}`;
    return this.tell(run_id, { type: 'tool.started', step: 1, call_id, name, args: '{}', risk: 'read' });
  }

  endCall(run_id: string, name: string, index = 0): RunEvent {
    const call_id = `${run_id}-${name}-${index}`;
    const result = { status: 'ok', output: 'found', ms: 5, active_ms: 5 } as const;
    return this.tell(run_id, { type: 'tool.finished', step: 1, call_id, name, ...result });
  }

  settle(
    run_id: string,
    answer = 'the answer',
    ending: Partial<Extract<RunEventBody, { type: 'run.settled' }>> = {},
  ): RunEvent {
    return this.tell(run_id, {
      type: 'run.settled',
      state: 'completed',
      reason: null,
      ending: 1,
      answer,
      partial: false,
      message: 'completed',
      active_ms: 0,
      ...ending,
    });
  }

  #rootOf(run_id: string): string {
    const parent = this.#parents.get(run_id);
    return parent ? this.#rootOf(parent) : run_id;
  }
}
