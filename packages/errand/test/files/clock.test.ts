import { afterEach, describe, expect, it, vi } from 'vitest';
import { createSystemClock } from '../../src/host/clock.ts';

describe('the system clock', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('a timer fires once, not before its time, and not after it was cancelled', () => {
    vi.useFakeTimers();
    const clock = createSystemClock();
    const fired: string[] = [];
    clock.timer(10, () => fired.push('ten'));
    const cancelled = clock.timer(10, () => fired.push('cancelled'));
    cancelled.cancel();
    cancelled.cancel();
    vi.advanceTimersByTime(9);
    expect(fired).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(fired).toEqual(['ten']);
  });

  it('a timer of months waits its time, and can be cancelled on the way', () => {
    vi.useFakeTimers();
    const clock = createSystemClock();
    const days = 24 * 60 * 60 * 1000;
    let fired = 0;
    clock.timer(60 * days, () => fired++);
    const cancelled = clock.timer(60 * days, () => fired++);
    vi.advanceTimersByTime(59 * days);
    expect(fired).toBe(0);
    cancelled.cancel();
    vi.advanceTimersByTime(2 * days);
    expect(fired).toBe(1);
  });

  it('the monotonic time does not go back', () => {
    const clock = createSystemClock();
    const first = clock.monotonic();
    expect(clock.monotonic()).toBeGreaterThanOrEqual(first);
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1_000);
  });
});
