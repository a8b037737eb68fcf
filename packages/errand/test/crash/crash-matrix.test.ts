import { describe, expect, it } from 'vitest';
import { type Trial, tryAll, uninterrupted } from './matrix.ts';

const SOAK = process.env['ERRAND_SOAK'] === '1';
const EDGE = 10;
/** Appends between two kills; 1: every append. */
const STRIDE = SOAK ? 1 : 4;
const SEEDS = SOAK ? 10_000 : 30;
/** The longest time to a kill, in times of what an uninterrupted run takes when nothing runs beside it. */
const SPAN = 2;

describe('kill -9 and a restart', () => {
  it('[DUR-1] [DUR-2] [DEL-7] [PAIN-1] [PAIN-10] [PAIN-11] [PAIN-13] at any journal append: the same end, nothing paid, done or delivered twice', {
    timeout: 3_600_000,
  }, async () => {
    const { outcome, appends } = await uninterrupted();
    expect(outcome).toMatchObject({
      state: 'completed',
      answer: 'the root has everything',
      helpers: {
        partial: { ending: ['interrupted', 'steps', true], steps: 5, tools: ['list', 'list', 'list', 'list'] },
        retried: { ending: ['completed', null, false], answer: '### SUMMARY\nthe whole of retried', steps: 2 },
        crowded: {
          ending: ['completed', null, false],
          room: ['trimmed', 'summarised, 2 kept'],
        },
        again: { ending: ['completed', null, false], after: 'partial' },
      },
    });
    const trials: Trial[] = [];
    for (let at = 1; at <= appends; at++) {
      if (at > EDGE && at <= appends - EDGE && at % STRIDE !== 0) continue;
      for (const when of ['before', 'after'] as const)
        trials.push({ label: `${when} append ${at}`, kill: { killAt: at, when } });
    }
    // Only before the first append is durable there is nothing to go on with.
    expect(await tryAll(trials, outcome)).toBeGreaterThanOrEqual(trials.length - 2);
  });

  it('[DUR-1] [DUR-2] at any time', { timeout: 36_000_000 }, async () => {
    await uninterrupted();
    const { outcome, lasted } = await uninterrupted();
    // A fixed sequence, spread evenly over the span: the seed is the trial's number.
    const trials = Array.from({ length: SEEDS }, (_, seed) => ({
      label: `seed ${seed}`,
      kill: { after: ((seed * 0.618_034) % 1) * SPAN * lasted },
    }));
    expect(await tryAll(trials, outcome)).toBeGreaterThan(SEEDS / 4);
  });
});
