import type { Clock } from '../../base/clock.ts';
import { succeed } from '../../base/result.ts';
import { offer } from '../../domain/authority/authorise.ts';
import { begin, fold } from '../../domain/run/apply.ts';
import type { RunEvent, RunSpec } from '../../domain/run/event.ts';
import type { RunState } from '../../domain/run/state.ts';
import type { Journal, JournalEntry } from '../../ports/journal.ts';
import type { Model, ModelOutcome, ToolDeclaration } from '../../ports/model.ts';
import type { ReplayReport } from '../../ports/runtime.ts';
import type { Tool, ToolOutcome } from '../../ports/tool.ts';
import { type SharedSlots, Slots } from '../admission/slots.ts';
import { Turn } from '../admission/turn.ts';
import { drive } from '../loop/drive.ts';
import { type Equipment, LiveRun, type StopReason } from '../loop/live-run.ts';
import { resumption } from '../loop/resumption.ts';
import type { Services } from '../services.ts';
import { callOrderOf, type Difference, differencesOf, RECORDING_ENDS } from './differences.ts';
import { Recording } from './recording.ts';

/**
 * Runs the loop again over what is recorded of one run: models and tools answer from the record; no network, no files, no clock.
 * Each stretch between two rests is run by itself, from the state in which the record shows it beginning.
 */
export async function replay(services: Services, events: readonly RunEvent[]): Promise<ReplayReport> {
  const [created] = events;
  if (created?.type !== 'run.created') throw new Error('a run begins with run.created');
  const frozen = await frozenPrefix(services, created);
  const differences: Difference[] = [];
  const order = callOrderOf(events);
  for (let from = 0; from < events.length; ) {
    const next = events.findIndex((event, index) => index > from && event.type === 'run.resumed');
    const to = next < 0 ? events.length : next;
    const stretch = events.slice(from, to);
    const state = from === 0 ? begin(created) : fold(events.slice(0, from));
    differences.push(...differencesOf(stretch, await replayStretch(services, { state, stretch, frozen }), order));
    from = to;
  }
  return { run_id: created.run_id, events: events.length, differences };
}

type Frozen = Pick<Equipment, 'system' | 'declarations'>;

/** As the run was given it; where the store has lost it, what would be offered today. */
async function frozenPrefix({ journal, tools }: Services, spec: RunSpec): Promise<Frozen> {
  const [system, declared] = await Promise.all([journal.getBlob(spec.system), journal.getBlob(spec.tools)]);
  return {
    system: system ?? '',
    declarations:
      declared === null ? offer(spec.authority, tools) : (JSON.parse(declared) as readonly ToolDeclaration[]),
  };
}

interface Stretch {
  /** As the record shows it at the beginning. */
  readonly state: RunState;
  readonly stretch: readonly RunEvent[];
  readonly frozen: Frozen;
}

async function replayStretch(services: Services, { state, stretch, frozen }: Stretch): Promise<RunEvent[]> {
  const replayed: RunEvent[] = [];
  const recording = new Recording(stretch);
  const clock = new ReplayClock(state.activeMs);
  const limits = {
    ...services.limits,
    retries: Number.MAX_SAFE_INTEGER,
    retry_first_ms: 0,
    retry_longest_ms: 0,
    // Recorded results were cut by the bounds of their time.
    tool_result_characters: Number.MAX_SAFE_INTEGER,
  };
  const stage: Stage = { recording, clock, limits, stop: (reason) => run.scope.cancel(reason) };
  const run: LiveRun = new LiveRun(
    {
      ...services,
      clock,
      limits,
      journal: collectingJournal(replayed),
      slots: new Slots({ all: 1, forHelpers: 1 }, UNSHARED),
      tools: [...services.tools, ...lostTools(services.tools, stretch)].map((tool) => replayTool(tool, stage)),
    },
    {
      ...frozen,
      model: replayModel(state.spec.model, stage),
      workspace: services.files.workspace(state.spec.cwd),
      turn: new Turn(0),
      epoch: 0,
      delegate: async (_run, _args, call) => resultOf(stage, call.callId),
    },
    state,
  );
  const [first] = stretch;
  if (first?.type === 'run.created') run.append([first]);
  else if (first?.type === 'run.resumed') run.record(...resumption(state, first.boot_id, first.limits));
  await drive(run);
  await run.ended;
  return replayed;
}

interface Stage {
  readonly recording: Recording;
  readonly clock: ReplayClock;
  readonly limits: { retries: number };
  /** Stops the run as it was stopped when it was recorded. */
  readonly stop: (reason: StopReason) => void;
}

function replayModel(name: string, stage: Stage): Model {
  const { recording, clock, limits } = stage;
  return {
    name,
    async call(_request, observer): Promise<ModelOutcome> {
      const event = recording.nextOutcome();
      if (!event) {
        observer.text(recording.danglingText);
        stopAsRecorded(stage);
        return { kind: 'fault', fault: { code: 'stopped', message: RECORDING_ENDS, retryable: false }, usage: null };
      }
      clock.set(event.active_ms);
      if (event.type === 'model.failed') {
        observer.text(event.text);
        if (event.fault.code === 'stopped') stopAsRecorded(stage);
        // A fault that might pass and was not tried again had used up the retries of its time.
        if (event.retry_in_ms === null) limits.retries = event.attempt - 1;
        return { kind: 'fault', fault: event.fault, usage: event.usage };
      }
      if (event.type === 'transcript.summarised') {
        return { kind: 'answer', text: event.summary, calls: [], finish: 'stop', usage: event.usage, modelUsed: null };
      }
      const { text, calls, finish, usage, model_used: modelUsed, extras } = event;
      return { kind: 'answer', text, calls, finish, usage, modelUsed, ...(extras === undefined ? {} : { extras }) };
    },
  };
}

function stopAsRecorded({ recording, stop }: Stage): void {
  const { ending } = recording;
  stop(
    ending && ending.state !== 'completed'
      ? ({ state: ending.state, reason: ending.reason } as StopReason)
      : { state: 'interrupted', reason: 'restart' },
  );
}

/** Tools that were there when the run was recorded and are not there now: a program's own, or one of an older version. */
function lostTools(tools: readonly Tool[], stretch: readonly RunEvent[]): Tool[] {
  const lost = new Map<string, Tool>();
  for (const event of stretch) {
    if (event.type !== 'tool.started' || event.risk === null || tools.some((tool) => tool.name === event.name))
      continue;
    lost.set(event.name, {
      name: event.name,
      risk: event.risk,
      family: 'recorded',
      description: '',
      parameters: {},
      parse: succeed,
      execute: () => Promise.reject(new Error('a recorded call is never carried out')),
    });
  }
  return [...lost.values()];
}

function replayTool(tool: Tool, stage: Stage): Tool {
  return {
    ...tool,
    parse: (args) => tool.parse(args),
    execute: async (args, context) => {
      // What a call writes into its own run is part of the course.
      if (tool.family === 'todo') await tool.execute(args, context);
      return resultOf(stage, context.callId);
    },
  };
}

async function resultOf(stage: Stage, callId: string): Promise<ToolOutcome> {
  const event = stage.recording.takeResult(callId);
  if (!event) {
    // The calls that were made together with this one had all begun when the recording broke off.
    await Promise.resolve();
    stopAsRecorded(stage);
    return { status: 'stopped', output: RECORDING_ENDS };
  }
  stage.clock.set(event.active_ms);
  const { status, output, child, facts } = event;
  return { status, output, ...(child ? { child } : {}), ...(facts === undefined ? {} : { facts }) };
}

/** Time as it was recorded. Timers never fire: what they caused is in the record. */
class ReplayClock implements Clock {
  #time: number;

  constructor(activeMs: number) {
    this.#time = activeMs;
  }

  set(activeMs: number): void {
    this.#time = Math.max(this.#time, activeMs);
  }

  now(): number {
    return this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  timer(milliseconds: number, fire: () => void) {
    let cancelled = false;
    // A retry's pause takes no time here; every real bound had its chance when the run was recorded.
    if (milliseconds === 0) void Promise.resolve().then(() => !cancelled && fire());
    return {
      cancel: () => {
        cancelled = true;
      },
    };
  }
}

const UNSHARED: SharedSlots = { take: async (count) => count, give: async () => {}, onFreed: () => () => {} };

/** Takes events in and keeps nothing else. */
function collectingJournal(events: RunEvent[]): Journal {
  const refuse = () => Promise.reject(new Error('a replay only appends'));
  return {
    append: async (entries: readonly JournalEntry[]) => {
      for (const entry of entries) events.push(...entry.events);
    },
    putBlob: () => '',
    getBlob: refuse,
    read: refuse,
    record: refuse,
    records: refuse,
    unreadable: refuse,
    discard: refuse,
    observe: () => () => {},
    openBoot: refuse,
    closeBoot: refuse,
    boots: refuse,
    beat: refuse,
    claim: refuse,
    release: refuse,
    takeSlots: refuse,
    giveSlots: refuse,
    retain: refuse,
    usage: refuse,
    check: refuse,
    backup: refuse,
    sendCommand: refuse,
    receiveCommands: () => () => {},
    close: refuse,
  };
}
