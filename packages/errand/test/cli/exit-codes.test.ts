import { describe, expect, test } from 'vitest';
import { exitOfRefusal, exitOfResult } from '../../src/app/exit-codes.ts';
import { START_REFUSALS } from '../../src/app/face.ts';
import { REASONS } from '../../src/domain/run/status.ts';

describe('exit codes', () => {
  test('[SUR-1] [RUN-3] a completed run is 0', () => {
    expect(exitOfResult({ state: 'completed', reason: null })).toBe(0);
  });

  test.each(REASONS.failed)('[SUR-1] failed(%s) is 1', (reason) => {
    expect(exitOfResult({ state: 'failed', reason })).toBe(1);
  });

  test.each(REASONS.interrupted)('[SUR-1] [LIM-6] interrupted(%s) is 3', (reason) => {
    expect(exitOfResult({ state: 'interrupted', reason })).toBe(3);
  });

  test.each(REASONS.cancelled.filter((reason) => reason !== 'signal'))('[SUR-1] cancelled(%s) is 5', (reason) => {
    expect(exitOfResult({ state: 'cancelled', reason })).toBe(5);
    expect(exitOfResult({ state: 'cancelled', reason }, 'SIGINT')).toBe(5);
  });

  test('[SUR-1] cancelled(signal) is 130 or 143', () => {
    expect(exitOfResult({ state: 'cancelled', reason: 'signal' }, 'SIGINT')).toBe(130);
    expect(exitOfResult({ state: 'cancelled', reason: 'signal' }, 'SIGTERM')).toBe(143);
  });

  test('[SUR-1] a signal that came too late changes nothing', () => {
    expect(exitOfResult({ state: 'completed', reason: null }, 'SIGINT')).toBe(0);
  });

  test('[SUR-1] refusals are 2 for input and 4 for models and configuration', () => {
    const codes = START_REFUSALS.map((code) => [code, exitOfRefusal({ code, message: '' })]);
    expect(Object.fromEntries(codes)).toEqual({
      no_task: 2,
      task_too_long: 2,
      no_folder: 2,
      no_model: 4,
      refused_key: 4,
      unknown_model: 4,
      full: 4,
    });
  });
});
