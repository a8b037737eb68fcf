import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply, begin, fold } from '../../src/domain/run/apply.ts';
import { decide, writtenSoFar } from '../../src/domain/run/decide.ts';
import type { RunEventBody } from '../../src/domain/run/event.ts';
import { FINISHES } from '../../src/domain/run/message.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import type { RunState } from '../../src/domain/run/state.ts';
import { isEnded, REASONS } from '../../src/domain/run/status.ts';
import { NO_USAGE } from '../../src/domain/run/usage.ts';
import { eventsOf } from './runs.ts';

type Finished = Extract<RunEventBody, { type: 'model.finished' }>;

function finished(step: number, more: Partial<Finished> = {}): Finished {
  return {
    type: 'model.finished',
    step,
    text: '',
    calls: [],
    finish: 'stop',
    usage: NO_USAGE,
    model_used: null,
    active_ms: step,
    ms: 1,
    ...more,
  };
}
const CALL = { call_id: 'c1', name: 'read', args: '{}' };
const OTHER = { call_id: 'c2', name: 'list', args: '{}' };
const started = (call: typeof CALL): RunEventBody => ({ type: 'tool.started', step: 1, risk: 'read', ...call });
const ended = (call: typeof CALL, output = 'out'): RunEventBody => ({
  type: 'tool.finished',
  step: 1,
  call_id: call.call_id,
  name: call.name,
  status: 'ok',
  output,
  ms: 1,
  active_ms: 1,
});
const settled: RunEventBody = {
  type: 'run.settled',
  state: 'completed',
  reason: null,
  ending: 1,
  answer: 'x',
  partial: false,
  message: '',
  active_ms: 1,
};

function after(...bodies: RunEventBody[]): RunState {
  return fold(eventsOf([{ type: 'run.started' }, ...bodies]));
}

describe('the state of a run', () => {
  it('[RUN-2] goes from queued over running and waiting to an end', () => {
    const [created] = eventsOf([]);
    const run = begin(created);
    expect(run.state).toBe('queued');
    for (const [body, state] of [
      [{ type: 'run.started' }, 'running'],
      [{ type: 'run.waiting', on: 'children' }, 'waiting'],
      [{ type: 'run.running' }, 'running'],
      [settled, 'completed'],
    ] as [RunEventBody, string][]) {
      apply(run, { run_id: 'run_1', parent_id: null, seq: run.seq + 1, at: 5, ...body });
      expect(run.state).toBe(state);
    }
  });

  it('[RUN-2] nothing follows a terminal state, and nothing comes out of order', () => {
    const run = after(settled);
    expect(() => apply(run, { run_id: 'run_1', parent_id: null, seq: run.seq + 1, at: 9, ...settled })).toThrow(
      /nothing follows/u,
    );
    expect(() => fold([...eventsOf([{ type: 'run.started' }]), ...eventsOf([{ type: 'run.started' }])])).toThrow(
      /does not follow/u,
    );
  });

  it('[DUR-3] [DUR-4] a queued run that another process takes up stays as far as it had got', () => {
    const resumed = (boot_id: string, steps: number): RunEventBody => ({
      type: 'run.resumed',
      boot_id,
      limits: { steps, tool_calls: 10, wall_ms: null },
      note: '',
    });
    const fresh = fold(eventsOf([resumed('boot_2', 9)]));
    expect(fresh).toMatchObject({ state: 'queued', bootId: 'boot_2', limits: { steps: 9 }, startedAt: null });
    // Resumed in the middle of its last report, and left again before it had its slot: the report still stands.
    const reporting = fold(
      eventsOf([
        { type: 'run.started' },
        { type: 'model.started', step: 1, attempt: 1, report: 'steps' },
        { ...settled, state: 'interrupted', reason: 'restart' } as RunEventBody,
        resumed('boot_2', 5),
        resumed('boot_3', 5),
      ]),
    );
    expect(reporting).toMatchObject({ state: 'queued', bootId: 'boot_3', report: 'steps' });
    expect(() => after(resumed('boot_2', 5))).toThrow(/is running and cannot be resumed/u);
  });

  it('[RUN-3] completes on a natural stop with text, and on nothing else', () => {
    const endingOf = (more: Partial<Finished>) => decide(after(finished(1, more)), 1);
    expect(endingOf({ text: 'answer' })).toEqual({ next: 'settle', ending: { state: 'completed', reason: null } });
    expect(endingOf({ text: ' \n' })).toEqual({ next: 'settle', ending: { state: 'failed', reason: 'empty_answer' } });
    expect(endingOf({ finish: 'tool_calls' })).toEqual({
      next: 'settle',
      ending: { state: 'failed', reason: 'empty_answer' },
    });
    expect(endingOf({ text: 'half', finish: 'length' })).toEqual({
      next: 'settle',
      ending: { state: 'failed', reason: 'output_limit' },
    });
    expect(endingOf({ text: 'half', finish: 'length', calls: [CALL] })).toEqual({
      next: 'settle',
      ending: { state: 'failed', reason: 'output_limit' },
    });
  });

  it('[MOD-9] results stand in the order of the calls, in whatever order they came', () => {
    const run = after(
      finished(1, { calls: [CALL, OTHER], finish: 'tool_calls' }),
      started(CALL),
      started(OTHER),
      ended(OTHER, 'second'),
      ended(CALL, 'first'),
    );
    expect(run.messages.at(-1)).toMatchObject({ role: 'tool', results: [{ text: 'first' }, { text: 'second' }] });
    expect(decide(run, 1)).toEqual({ next: 'call', report: null });
  });

  it('[LIM-6] asks for a report in the last step, before the last tenth of the time, and at the last tool call', () => {
    const spec = { limits: { steps: 2, tool_calls: 1, wall_ms: 400_000 } };
    const step = [
      { type: 'run.started' } as const,
      finished(1, { calls: [CALL], finish: 'tool_calls' }),
      started(CALL),
      ended(CALL),
    ];
    expect(decide(fold(eventsOf(step, { limits: { ...spec.limits, tool_calls: 9 } })), 1)).toEqual({
      next: 'call',
      report: 'steps',
    });
    expect(decide(fold(eventsOf(step, { limits: { ...spec.limits, steps: 9 } })), 1)).toEqual({
      next: 'call',
      report: 'tool_calls',
    });
    const roomy = fold(eventsOf(step, { limits: { steps: 9, tool_calls: 9, wall_ms: 400_000 } }));
    expect(decide(roomy, 359_999)).toEqual({ next: 'call', report: null });
    expect(decide(roomy, 360_000)).toEqual({ next: 'call', report: 'wall' });
    expect(decide(roomy, 400_000)).toEqual({ next: 'settle', ending: { state: 'interrupted', reason: 'wall' } });
  });

  it('[LIM-6] a report that was asked for in mid-work is interrupted, and the calls in it are not run', () => {
    const work = [
      { type: 'run.started' } as const,
      finished(1, { text: 'began', calls: [CALL], finish: 'tool_calls' }),
      started(CALL),
      ended(CALL),
    ];
    const asked = { type: 'model.started', step: 2, attempt: 1, report: 'steps' } as const;
    const limits = { limits: { steps: 2, tool_calls: 9, wall_ms: null } };
    const reported = fold(eventsOf([...work, asked, finished(2, { text: 'so far' })], limits));
    expect(decide(reported, 1)).toEqual({ next: 'settle', ending: { state: 'interrupted', reason: 'steps' } });
    expect(writtenSoFar(reported)).toBe('so far');
    const stubborn = fold(eventsOf([...work, asked, finished(2, { calls: [OTHER], finish: 'tool_calls' })], limits));
    expect(decide(stubborn, 1)).toEqual({ next: 'settle', ending: { state: 'interrupted', reason: 'steps' } });
    expect(writtenSoFar(stubborn)).toBe('began');
  });

  it('[RUN-3] a run of one step that answers at once has completed', () => {
    const events = eventsOf(
      [
        { type: 'run.started' },
        { type: 'model.started', step: 1, attempt: 1, report: 'steps' },
        finished(1, { text: 'done' }),
      ],
      {
        limits: { steps: 1, tool_calls: 1, wall_ms: null },
      },
    );
    expect(decide(fold(events), 1)).toEqual({ next: 'settle', ending: { state: 'completed', reason: null } });
  });

  it('[RUN-4] keeps what was written in every step and in the call that broke off', () => {
    const run = after(
      finished(1, { text: 'one', calls: [CALL], finish: 'tool_calls' }),
      started(CALL),
      ended(CALL),
      { type: 'model.started', step: 2, attempt: 1, report: null },
      { type: 'model.text', step: 2, text: 'tw' },
      { type: 'model.text', step: 2, text: 'o' },
    );
    expect(writtenSoFar(run)).toBe('one\n\ntwo');
    expect(recordOf(run)).toMatchObject({ tool_calls: ['read'], steps: 1 });
  });

  it('[RUN-2] any course of events that decisions allow ends once, within its limits, with a reason of table D', () => {
    const text = fc.constantFrom('', ' ', 'words');
    const outcome = fc.oneof(
      fc.record({
        kind: fc.constant('answer' as const),
        text,
        calls: fc.integer({ min: 0, max: 3 }),
        finish: fc.constantFrom(...FINISHES),
      }),
      fc.record({ kind: fc.constant('fault' as const), text }),
      fc.record({ kind: fc.constant('cancel' as const), text }),
    );
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 12 }), fc.integer({ min: 1, max: 6 }), (outcomes, steps) => {
        const run = fold(eventsOf([{ type: 'run.started' }], { limits: { steps, tool_calls: 5, wall_ms: null } }));
        const record = (body: RunEventBody) =>
          apply(run, { run_id: 'run_1', parent_id: null, seq: run.seq + 1, at: 1, ...body });
        const rest = [...outcomes];
        for (let turn = 0; turn < 100 && !isEnded(run.state); turn++) {
          const decision = decide(run, 1);
          if (decision.next === 'settle') {
            const { state, reason } = decision.ending;
            const completed = state === 'completed';
            const last = run.messages.at(-1);
            if (completed) expect(last).toMatchObject({ role: 'assistant', text: expect.stringMatching(/\S/u) });
            else expect(REASONS[state]).toContain(reason);
            record({ ...settled, state, reason });
          } else if (decision.next === 'tools') {
            for (const call of run.open) record({ ...ended(CALL), call_id: call.call_id } as RunEventBody);
          } else {
            const next = rest.shift() ?? { kind: 'answer' as const, text: 'words', calls: 0, finish: 'stop' as const };
            record({
              type: 'model.started',
              step: run.steps + 1,
              attempt: 1,
              report: decision.next === 'call' ? decision.report : null,
            });
            if (next.kind === 'cancel') record({ type: 'cancel.asked', reason: 'user' });
            else if (next.kind === 'fault') {
              const fault = { code: 'cut', message: 'cut', retryable: true } as const;
              record({
                type: 'model.failed',
                step: run.steps + 1,
                attempt: 1,
                fault,
                text: next.text,
                usage: NO_USAGE,
                retry_in_ms: 1,
                active_ms: 1,
              });
            } else {
              const calls = Array.from({ length: next.calls }, (_, index) => ({ ...CALL, call_id: `c${index}` }));
              record(finished(run.steps + 1, { text: next.text, calls, finish: next.finish }));
            }
          }
        }
        expect(isEnded(run.state)).toBe(true);
        expect(run.steps).toBeLessThanOrEqual(steps);
        expect(run.endings).toBe(1);
      }),
    );
  });
});
