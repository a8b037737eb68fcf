import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDuration, plainDuration } from '../../src/app/duration.ts';

describe('durations', () => {
  test.each([
    [30, 30_000],
    [0.25, 250],
    [0, 0],
    ['30', 30_000],
    ['1.5', 1_500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h', 3_600_000],
    ['0.5h', 1_800_000],
    ['250ms', 250],
    [' 5m ', 300_000],
  ])('[SUR-1] %j is %d ms', (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each([
    '',
    'm',
    '5 m',
    '-5',
    '+5',
    '5d',
    '1e3',
    '0x10',
    '5m30s',
    '.5',
    '5.',
    'Infinity',
    -1,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    true,
    null,
    [5],
    {},
  ])('[SUR-1] %j is no duration', (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  test('[SUR-1] every length of time reads back as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2_000_000_000 }), (milliseconds) => {
        expect(parseDuration(plainDuration(milliseconds))).toBe(milliseconds);
      }),
    );
  });

  test('[SUR-1] seconds mean the same as a number, as text and with their unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (seconds) => {
        const expected = seconds * 1_000;
        expect([parseDuration(seconds), parseDuration(`${seconds}`), parseDuration(`${seconds}s`)]).toEqual([
          expected,
          expected,
          expected,
        ]);
      }),
    );
  });

  test('[SUR-1] no text makes it throw, and what it takes is a whole number of milliseconds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.anything()), (raw) => {
        const read = parseDuration(raw);
        expect(read === null || (Number.isInteger(read) && read >= 0)).toBe(true);
      }),
    );
  });
});
