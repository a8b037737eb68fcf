import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_VIEW, foldView, isLive } from '../../src/terminal/view.ts';
import { START, Story } from './story.ts';

function fanOut(): Story {
  const story = new Story();
  story.start('root');
  story.pass(1_000).answer('root', '', { calls: ['agent', 'agent'], usage: { input: 100, output: 10 } });
  story.startCall('root', 'agent', 0);
  story.startCall('root', 'agent', 1);
  story.tell('root', { type: 'run.waiting', on: 'children' });
  story.start('one', { parent: 'root' });
  story.create('two', { parent: 'root' });
  story.pass(2_000).answer('one', '', { calls: ['search'], usage: { input: 50, output: 5 } });
  story.startCall('one', 'search');
  story.tell('one', {
    type: 'todo.written',
    items: [
      { text: 'look', status: 'completed' },
      { text: 'report', status: 'in_progress' },
    ],
  });
  return story;
}

describe('the view', () => {
  test('[SUR-1] shows state, current tool, tokens, to-do and times of each run', () => {
    const view = foldView(EMPTY_VIEW, fanOut().events);
    expect(view.rows.get('root')).toMatchObject({
      state: 'waiting',
      waitingOn: 'children',
      tokens: 110,
      called: ['agent', 'agent'],
      startedAt: START,
      endedAt: null,
    });
    expect(view.rows.get('one')).toMatchObject({
      parent_id: 'root',
      state: 'running',
      running: [{ name: 'search' }],
      tokens: 55,
      todo: [{ text: 'look' }, { text: 'report' }],
      startedAt: START + 1_000,
    });
    expect(view.rows.get('two')).toMatchObject({ state: 'queued', startedAt: null });
    expect(isLive(view)).toBe(true);
  });

  test('[SUR-1] an ended run holds nothing open', () => {
    const story = fanOut();
    story.pass(500).settle('one', 'half', { state: 'interrupted', reason: 'wall', partial: true });
    const row = foldView(EMPTY_VIEW, story.events).rows.get('one');
    expect(row).toMatchObject({
      state: 'interrupted',
      reason: 'wall',
      partial: true,
      running: [],
      endedAt: START + 3_500,
    });
  });

  test('[SUR-1] a run that goes on is live again', () => {
    const story = fanOut();
    story.settle('one', 'half', { state: 'interrupted', reason: 'restart', partial: true });
    const limits = { steps: 1, tool_calls: 1, wall_ms: null };
    story.tell('one', { type: 'run.resumed', boot_id: 'boot_2', limits, note: '' });
    const row = foldView(EMPTY_VIEW, story.events).rows.get('one');
    expect(row).toMatchObject({ state: 'queued', reason: null, partial: false, endedAt: null, tokens: 55 });
  });

  test('[DUR-2] a call that is begun again after a restart is still one call', () => {
    const story = fanOut();
    story.settle('one', '', { state: 'interrupted', reason: 'restart' });
    const limits = { steps: 1, tool_calls: 1, wall_ms: null };
    story.tell('one', { type: 'run.resumed', boot_id: 'boot_2', limits, note: '' });
    story.startCall('one', 'search');
    const again = foldView(EMPTY_VIEW, story.events).rows.get('one');
    expect(again).toMatchObject({ called: ['search'], running: [{ name: 'search' }] });
    story.endCall('one', 'search');
    story.startCall('one', 'search');
    const other = foldView(EMPTY_VIEW, story.events).rows.get('one');
    expect(other).toMatchObject({ called: ['search', 'search'] });
  });

  test('[SUR-1] tokens of failed calls count', () => {
    const story = fanOut();
    const fault = { code: 'cut', message: 'cut off', retryable: true } as const;
    const usage = { input: 7, cached: 0, output: 1, reasoning: 0, unknown_calls: 0 };
    story.tell('one', {
      type: 'model.failed',
      step: 2,
      attempt: 1,
      fault,
      text: '',
      usage,
      retry_in_ms: 1_000,
      active_ms: 0,
    });
    expect(foldView(EMPTY_VIEW, story.events).rows.get('one')?.tokens).toBe(63);
  });

  test('[SUR-1] it does not matter how events are bundled, and earlier views stay as they were', () => {
    const { events } = fanOut();
    fc.assert(
      fc.property(fc.array(fc.nat(events.length), { maxLength: 5 }), (cuts) => {
        const edges = [0, ...cuts.toSorted((a, b) => a - b), events.length];
        const bundles = edges.slice(1).map((edge, index) => events.slice(edges[index], edge));
        expect(bundles.reduce(foldView, EMPTY_VIEW)).toEqual(foldView(EMPTY_VIEW, events));
      }),
    );
    expect(EMPTY_VIEW.rows.size).toBe(0);
  });

  test('[SUR-1] events of a run whose beginning was missed are left out', () => {
    const { events } = fanOut();
    expect(foldView(EMPTY_VIEW, events.slice(1)).rows.has('root')).toBe(false);
  });
});
