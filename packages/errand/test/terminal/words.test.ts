import { describe, expect, test } from 'vitest';
import { elapsed, foldNames, pause, stateInWords, taken, tokens, tokensKnown } from '../../src/terminal/words.ts';

describe('words', () => {
  test.each([
    [-5, '0s'],
    [0, '0s'],
    [999, '0s'],
    [59_999, '59s'],
    [60_000, '1m 00s'],
    [125_000, '2m 05s'],
    [3_599_999, '59m 59s'],
    [3_600_000, '1h 00m'],
    [359_999_999, '99h 59m'],
    [360_000_000, '4d'],
  ])('[SUR-1] %d ms have been %s', (milliseconds, text) => {
    expect(elapsed(milliseconds)).toBe(text);
  });

  test.each([
    [0, '0ms'],
    [43.4, '43ms'],
    [999.4, '999ms'],
    [1_000, '1.0s'],
    [9_949, '9.9s'],
    [9_950, '9s'],
    [61_000, '1m 01s'],
  ])('[DEL-9] what took %d ms took %s', (milliseconds, text) => {
    expect(taken(milliseconds)).toBe(text);
  });

  test.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1.0k'],
    [9_949, '9.9k'],
    [9_950, '10k'],
    [34_400, '34k'],
    [999_499, '999k'],
    [999_500, '1.0M'],
    [12_000_000, '12M'],
  ])('[SUR-1] %d tokens are %s', (count, text) => {
    expect(tokens(count)).toBe(text);
  });

  test('[SUR-1] tokens of which some are not known', () => {
    expect(tokensKnown(0, 0)).toBe('0');
    expect(tokensKnown(0, 2)).toBe('0?');
    expect(tokensKnown(1_200, 1)).toBe('1.2k?');
  });

  test.each([
    [0, '0.1s'],
    [870, '0.9s'],
    [4_000, '4.0s'],
    [9_949, '9.9s'],
    [12_400, '12s'],
  ])('[SUR-1] a pause of %d ms is %s', (milliseconds, text) => {
    expect(pause(milliseconds)).toBe(text);
  });

  test('[DEL-9] tools in order, repeats folded', () => {
    expect(foldNames([])).toBe('');
    expect(foldNames(['search', 'search', 'read', 'search'])).toBe('search ×2, read, search');
  });

  test('[RUN-4] a state is said with its reason', () => {
    expect(stateInWords({ state: 'interrupted', reason: 'wall' })).toBe('interrupted (wall)');
    expect(stateInWords({ state: 'completed', reason: null })).toBe('completed');
  });
});
