import type { RunEvent } from './event.ts';
import { trimTranscript, withSummary } from './room.ts';
import type { OpenCall, RunState } from './state.ts';
import { isTerminal } from './status.ts';
import { addUsage, NO_USAGE, UNKNOWN_USAGE } from './usage.ts';

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

/** The state after a run's first event. */
export function begin(event: EventOf<'run.created'>): RunState {
  const { type: _type, run_id, parent_id, seq, at, ...spec } = event;
  return {
    run_id,
    parent_id,
    spec,
    seq,
    at,
    bootId: spec.boot_id,
    limits: spec.limits,
    state: 'queued',
    reason: null,
    waitingOn: null,
    phase: 'idle',
    createdAt: at,
    startedAt: null,
    endedAt: null,
    steps: 0,
    stepsWhenResumed: null,
    failures: 0,
    fault: null,
    report: null,
    finish: null,
    // A fork goes on from the last message of its prefix, without a turn of its own.
    messages:
      spec.opening === '' ? [...(spec.prefix ?? [])] : [...(spec.prefix ?? []), { role: 'user', text: spec.opening }],
    ownFrom: spec.prefix?.length ?? 0,
    counted: null,
    open: [],
    streamed: '',
    toolNames: [],
    currentTool: null,
    children: [],
    usage: NO_USAGE,
    modelUsed: null,
    activeMs: 0,
    todo: [],
    cancel: null,
    endings: 0,
    answer: '',
    partial: false,
    message: '',
  };
}

/**
 * Takes one event into the state. The only place where a run changes.
 * Throws on an event that cannot follow: out of order, or after a terminal state.
 */
export function apply(run: RunState, event: RunEvent): void {
  if (event.seq !== run.seq + 1) throw new Error(`event ${event.seq} of ${run.run_id} does not follow ${run.seq}`);
  if (isTerminal(run.state) || (run.state === 'interrupted' && event.type !== 'run.resumed')) {
    throw new Error(`${run.run_id} is ${run.state}; nothing follows (${event.type})`);
  }
  run.seq = event.seq;
  run.at = event.at;
  switch (event.type) {
    case 'run.created':
      throw new Error(`${run.run_id} was created before`);
    case 'run.started':
      run.startedAt ??= event.at;
      return enter(run, 'running');
    case 'run.running':
      return enter(run, 'running');
    case 'run.waiting':
      run.state = 'waiting';
      run.waitingOn = event.on;
      return;
    case 'model.started':
      run.phase = 'calling';
      run.report = event.report;
      run.streamed = '';
      return;
    case 'model.text':
      run.streamed += event.text;
      return;
    case 'model.finished':
      return finishModel(run, event);
    case 'model.failed':
      run.phase = 'idle';
      // One that did not fit is no failed attempt: room is made, and the call made again.
      if (event.fault.code !== 'context_overflow') run.failures++;
      run.fault = event.fault;
      run.streamed = event.text;
      run.usage = addUsage(run.usage, event.usage);
      run.activeMs = event.active_ms;
      return;
    case 'tool.started':
      // A call that only reads is started again after a restart; it is still one call.
      if (!run.open.some((call) => call.call_id === event.call_id && call.started)) run.toolNames.push(event.name);
      run.currentTool = event.name;
      return changeCall(run, event.call_id, (call) => ({ ...call, started: true, risk: event.risk }));
    case 'tool.finished':
      return finishTool(run, event);
    case 'transcript.trimmed':
      run.messages = trimTranscript(run.messages, event.characters, event.mark);
      run.counted = null;
      return;
    case 'transcript.summarised':
      Object.assign(run, withSummary(run, event.note, event.kept ?? 0));
      run.phase = 'idle';
      run.counted = null;
      run.failures = 0;
      run.fault = null;
      run.usage = addUsage(run.usage, event.usage);
      run.activeMs = event.active_ms;
      return;
    case 'todo.written':
      run.todo = event.items;
      return;
    case 'cancel.asked':
      run.cancel ??= event.reason;
      return;
    case 'run.resumed':
      return resume(run, event);
    case 'run.settled':
      return settle(run, event);
  }
}

/** The state that a run's events, from the first on, add up to. */
export function fold(events: readonly RunEvent[]): RunState {
  const [first, ...rest] = events;
  if (first?.type !== 'run.created') throw new Error('a run begins with run.created');
  const run = begin(first);
  for (const event of rest) apply(run, event);
  return run;
}

function enter(run: RunState, state: 'running'): void {
  run.state = state;
  run.waitingOn = null;
}

function finishModel(run: RunState, event: EventOf<'model.finished'>): void {
  run.steps++;
  run.failures = 0;
  run.fault = null;
  run.streamed = '';
  run.finish = event.finish;
  run.usage = addUsage(run.usage, event.usage);
  run.modelUsed = event.model_used;
  run.activeMs = event.active_ms;
  const { input, output } = event.usage;
  run.counted = input > 0 ? { messages: run.messages.length + 1, tokens: input + output } : null;
  run.messages.push({
    role: 'assistant',
    text: event.text,
    calls: event.calls,
    ...(event.extras === undefined ? {} : { extras: event.extras }),
  });
  run.open = event.calls.map((call) => ({ ...call, started: false, risk: null, result: null, characters: 0 }));
  run.phase = run.open.length > 0 ? 'tools' : 'idle';
}

function finishTool(run: RunState, event: EventOf<'tool.finished'>): void {
  const result = { call_id: event.call_id, name: event.name, text: event.output, error: event.status !== 'ok' };
  changeCall(run, event.call_id, (call) => ({ ...call, result, characters: event.child?.characters ?? 0 }));
  run.activeMs = Math.max(run.activeMs, event.active_ms);
  if (event.child) run.children.push(event.child.run_id);
  const results = run.open.flatMap((call) => (call.result ? [call.result] : []));
  if (results.length < run.open.length) return;
  run.messages.push({ role: 'tool', results });
  run.open = [];
  run.currentTool = null;
  run.phase = 'idle';
}

function changeCall(run: RunState, callId: string, change: (call: OpenCall) => OpenCall): void {
  const index = run.open.findIndex((call) => call.call_id === callId);
  const call = run.open[index];
  if (!call) throw new Error(`${run.run_id} has no open call ${callId}`);
  run.open[index] = change(call);
}

function settle(run: RunState, event: EventOf<'run.settled'>): void {
  // A call that was under way has an end that nobody saw.
  if (run.phase === 'calling') run.usage = addUsage(run.usage, UNKNOWN_USAGE);
  run.state = event.state;
  run.reason = event.reason;
  run.waitingOn = null;
  run.phase = 'ended';
  run.endedAt = event.at;
  run.endings = event.ending;
  run.answer = event.answer;
  run.partial = event.partial;
  run.message = event.message;
  run.activeMs = event.active_ms;
  run.currentTool = null;
}

/** Back from rest, with everything it had; what it waited for or was failing at is forgotten. One that is queued has got no further and stays so. */
function resume(run: RunState, event: EventOf<'run.resumed'>): void {
  run.bootId = event.boot_id;
  run.limits = event.limits;
  run.stepsWhenResumed = run.steps;
  if (run.state === 'queued') return;
  if (run.state !== 'interrupted') throw new Error(`${run.run_id} is ${run.state} and cannot be resumed`);
  // A restart is no limit: what had been decided before it, a last report included, still stands.
  if (run.reason !== 'restart') run.report = null;
  run.state = 'queued';
  run.reason = null;
  run.endedAt = null;
  run.phase = run.open.length > 0 ? 'tools' : 'idle';
  run.fault = null;
  run.failures = 0;
  run.cancel = null;
  run.streamed = '';
  run.answer = '';
  run.partial = false;
  run.message = '';
  if (event.note !== '') run.messages.push({ role: 'user', text: event.note });
}
