import { describe, expect, test } from 'vitest';
import { limitInTheWay } from '../../src/app/limit-in-the-way.ts';
import { commandToGoOn, RAISES, raised } from '../../src/app/raises.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import type { RunLimits } from '../../src/domain/run/limits.ts';
import type { InterruptReason } from '../../src/domain/run/status.ts';
import { Story } from '../terminal/story.ts';

const bounds: RunLimits = { steps: 2, tool_calls: 3, wall_ms: 60_000 };

interface Course {
  readonly limits?: Partial<RunLimits>;
  /** Steps of one tool call each, all finished. */
  readonly steps?: number;
  readonly report?: InterruptReason;
  readonly active_ms?: number;
  /** Null: it was killed and not put on record. */
  readonly reason?: InterruptReason | null;
}

/** A run that took so many steps, wrote a last report if it was asked for one, and came to rest. */
function course({ limits, steps = 1, report, active_ms = 0, reason = 'steps' }: Course): RunEvent[] {
  const story = new Story();
  story.start('run_1');
  for (let step = 0; step < steps; step++) {
    story.answer('run_1', 'looking', { calls: ['list'] });
    story.startCall('run_1', 'list');
    story.endCall('run_1', 'list');
  }
  if (report) {
    story.tell('run_1', { type: 'model.started', step: steps + 1, attempt: 1, report });
    story.answer('run_1', 'what I have');
  }
  if (reason) story.settle('run_1', 'half', { state: 'interrupted', reason, partial: true, active_ms });
  const events = story.events.map((event) => {
    if (event.type === 'run.created') return { ...event, limits: { ...bounds, ...limits } };
    return event.type === 'model.started' && report ? { ...event, report } : event;
  });
  return events;
}

describe('raising bounds', () => {
  test('[DUR-4] a bound is only ever raised, and none is made where there was none', () => {
    expect(raised(bounds, {})).toEqual(bounds);
    expect(raised(bounds, { steps: 1, tool_calls: 4, wall_ms: 61_000 })).toEqual({
      steps: 2,
      tool_calls: 4,
      wall_ms: 61_000,
    });
    expect(raised({ ...bounds, wall_ms: null }, { wall_ms: 5 }).wall_ms).toBeNull();
  });

  test.each([
    ['steps', '--steps 4'],
    ['tool_calls', '--tool-calls 6'],
    ['wall', '--wall 2m'],
  ])('[DUR-4] after %s, the command doubles that bound', (reason, flag) => {
    expect(commandToGoOn({ run_id: 'run_1', state: 'interrupted', reason }, bounds)).toBe(
      `errand resume run_1 ${flag}`,
    );
  });

  test('[DUR-4] after anything else, and where the bounds are not known, it has no flag; what has ended has no command', () => {
    const command = (state: string, reason: string | null, limits: RunLimits | null = bounds) =>
      commandToGoOn({ run_id: 'run_1', state, reason }, limits);
    for (const reason of ['restart', 'provider', 'stalled', 'context', 'budget']) {
      expect(command('interrupted', reason)).toBe('errand resume run_1');
    }
    expect(command('interrupted', 'steps', null)).toBe('errand resume run_1');
    for (const state of ['completed', 'failed', 'cancelled', 'running']) expect(command(state, null)).toBeNull();
  });

  test('[DUR-4] there is a flag for every bound of a run', () => {
    expect(RAISES.map(({ limit }) => limit).toSorted()).toEqual(Object.keys(bounds).toSorted());
  });
});

describe('a bound that would end a run at once', () => {
  test('[DUR-4] steps: unless they are raised beyond what was used', () => {
    const events = course({ steps: 1, report: 'steps', reason: 'steps' });
    const sentence = 'run_1 has used up the 2 steps that it may take; to go on with it: errand resume run_1 --steps 4.';
    expect(limitInTheWay(events, {})).toBe(sentence);
    expect(limitInTheWay(events, { steps: 2 })).toBe(sentence);
    expect(limitInTheWay(events, { wall_ms: 90_000, tool_calls: 9 })).toBe(sentence);
    expect(limitInTheWay(events, { steps: 3 })).toBeNull();
  });

  test('[DUR-4] tool calls: another last report is no going on', () => {
    const limits = { steps: 60, tool_calls: 1 };
    const events = course({ limits, steps: 1, report: 'tool_calls', reason: 'tool_calls' });
    expect(limitInTheWay(events, {})).toBe(
      'run_1 has used up the 1 tool call that it may make; to go on with it: errand resume run_1 --tool-calls 2.',
    );
    expect(limitInTheWay(events, { tool_calls: 2 })).toBeNull();
  });

  test('[DUR-4] wall clock: over, or all but over', () => {
    for (const active_ms of [59_000, 60_000]) {
      const events = course({ limits: { steps: 60 }, report: 'wall', reason: 'wall', active_ms });
      expect(limitInTheWay(events, {})).toBe(
        'run_1 has used up the 1m that it may work; to go on with it: errand resume run_1 --wall 2m.',
      );
      expect(limitInTheWay(events, { wall_ms: 120_000 })).toBeNull();
    }
  });

  test('[DUR-4] [DUR-3] after a restart only what really ends it is in the way: a last report not yet written is', () => {
    expect(limitInTheWay(course({ steps: 2, reason: 'restart' }), {})).toContain('the 2 steps');
    expect(limitInTheWay(course({ steps: 2, reason: null }), {})).toContain('the 2 steps');
    expect(limitInTheWay(course({ steps: 1, reason: 'restart' }), {})).toBeNull();
    expect(limitInTheWay(course({ steps: 1, reason: null }), {})).toBeNull();
    // Its last report is written: going on would put that on record, and nothing more.
    expect(limitInTheWay(course({ steps: 1, report: 'steps', reason: 'restart' }), {})).toContain('the 2 steps');
  });

  test('[DUR-3] none is in the way of a run whose whole answer is on record, but not its ending', () => {
    const story = new Story();
    story.start('run_1');
    story.answer('run_1', 'the answer');
    const limits = { steps: 1, tool_calls: 1, wall_ms: null };
    const events = story.events.map((event) => (event.type === 'run.created' ? { ...event, limits } : event));
    expect(limitInTheWay(events, {})).toBeNull();
  });

  test('[DUR-4] none is in the way of a run that failed at its provider, has ended or waits for its turn', () => {
    expect(limitInTheWay(course({ steps: 1, reason: 'provider' }), {})).toBeNull();
    const story = new Story();
    story.create('run_2');
    expect(limitInTheWay(story.events, {})).toBeNull();
    story.settle('run_2');
    expect(limitInTheWay(story.events, {})).toBeNull();
  });
});
