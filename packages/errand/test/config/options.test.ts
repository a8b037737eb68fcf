import { describe, expect, test } from 'vitest';
import { accepts, defaultInWords, OPTIONS, parseOption, RUN_OPTIONS } from '../../src/app/options.ts';
import { DEFAULT_LIMITS } from '../../src/domain/run/limits.ts';

describe('the options table', () => {
  test('[SUR-1] the flags of errand run are all there', () => {
    expect(RUN_OPTIONS.map(({ flag }) => flag).toSorted()).toEqual([
      '--cwd',
      '--effort',
      '--helper-steps',
      '--helper-wall',
      '--max-concurrent',
      '--max-helpers',
      '--model',
      '--output-format',
      '--quiet',
      '--steps',
      '--wall',
    ]);
  });

  test('[SUR-1] keys, flags and variables are unique', () => {
    for (const names of [
      OPTIONS.map(({ key }) => key),
      OPTIONS.flatMap(({ flag }) => flag ?? []),
      OPTIONS.flatMap(({ environment }) => environment ?? []),
    ]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('[LIM-2] [LIM-3] [LIM-5] every bound of SPEC table A can be set, by its name there', () => {
    expect(OPTIONS.flatMap(({ key }) => (key.startsWith('limits.') ? [key.slice(7)] : [])).toSorted()).toEqual(
      [
        'max_per_turn',
        'max_concurrent',
        'launch_concurrency',
        'max_admitted',
        'max_depth',
        'helper_steps',
        'helper_tool_calls',
        'helper_wall',
        'root_steps',
        'root_wall',
        'call_timeout',
        'tool_timeout',
        'retries',
        'stream_idle_timeout',
        'heartbeat',
        'stop_grace',
        'answer_characters',
        'step_answer_characters',
        'tool_result_characters',
      ].toSorted(),
    );
  });

  test('every default lies in its own range and can be said', () => {
    for (const option of OPTIONS) {
      expect(defaultInWords(option)).not.toBe('');
      const value = option.limit ? DEFAULT_LIMITS[option.limit] : null;
      if (value === null) continue;
      const written = option.value.kind === 'duration' ? value / 1_000 : value;
      expect(parseOption(option, written, option.key)).toEqual({ ok: true, value });
    }
  });

  test('[SUR-1] what is out of range is refused with the name as it was written and what is accepted', () => {
    for (const option of OPTIONS) {
      const kind = option.value;
      const wrong = kind.kind === 'count' ? [kind.least - 1, kind.most + 1, 1.5, '7x', ''] : [[], {}, '\0', ''];
      if (kind.kind === 'duration') wrong.push(kind.most / 1_000 + 1, 'soon', -1);
      for (const raw of wrong) {
        const read = parseOption(option, raw, 'THE-NAME');
        expect(read.ok, `${option.key} took ${JSON.stringify(raw)}`).toBe(false);
        if (read.ok) continue;
        expect(read.error.startsWith('THE-NAME takes ')).toBe(true);
        expect(read.error).toContain(accepts(kind));
      }
    }
  });

  test.each([
    ['max_depth', 0, 8, 9],
    ['max_concurrent', 1, 10_000, 10_001],
    ['retries', 0, 20, 21],
  ])('[LIM-5] [LIM-2] %s goes from %d to %d', (name, least, most, beyond) => {
    const option = OPTIONS.find(({ key }) => key === `limits.${name}`);
    if (!option) throw new Error(name);
    expect(parseOption(option, least, name).ok).toBe(true);
    expect(parseOption(option, most, name).ok).toBe(true);
    expect(parseOption(option, beyond, name).ok).toBe(false);
  });

  test.each([
    ['call_timeout', '1s', '3600s', '3601s'],
    ['heartbeat', '30s', '3600s', '29s'],
    ['heartbeat', '30s', '3600s', '3601s'],
  ])('%s goes from %s to %s, and %s is refused', (name, least, most, wrong) => {
    const option = OPTIONS.find(({ key }) => key === `limits.${name}`);
    if (!option) throw new Error(name);
    expect(parseOption(option, least, name).ok).toBe(true);
    expect(parseOption(option, most, name).ok).toBe(true);
    expect(parseOption(option, wrong, name).ok).toBe(false);
  });
});
