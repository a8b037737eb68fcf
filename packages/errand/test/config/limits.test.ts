import { describe, expect, test } from 'vitest';
import { createPlaces } from './places.ts';

const limits = (text: string) => createPlaces().settings({ user: `[limits]\n${text}` }).limits;
const refusal = (text: string) => createPlaces().problem({ user: `[limits]\n${text}` });

describe('bounds from files', () => {
  test('[LIM-3] launch_concurrency follows max_concurrent until it is set', () => {
    expect(limits('max_concurrent = 10').launch_concurrency).toBe(10);
    expect(limits('max_concurrent = 10\nlaunch_concurrency = 4').launch_concurrency).toBe(4);
  });

  test('[LIM-6] times are seconds or have a unit', () => {
    expect(limits('root_wall = 1800\nhelper_wall = "1h"\nstop_grace = 5')).toMatchObject({
      root_wall_ms: 1_800_000,
      helper_wall_ms: 3_600_000,
      stop_grace_ms: 5_000,
    });
  });

  test('a call time-out of 0 is the default', () => {
    expect(limits('call_timeout = 0').call_timeout_ms).toBe(600_000);
  });

  test('the heartbeat follows the longer time-out, 300 s at least', () => {
    expect(limits('call_timeout = 60\ntool_timeout = 60').heartbeat_ms).toBe(300_000);
    expect(limits('call_timeout = 60\ntool_timeout = 900').heartbeat_ms).toBe(930_000);
    expect(limits('').heartbeat_ms).toBe(630_000);
  });

  test.each([
    ['heartbeat = 600', ['limits.heartbeat (10m)', 'limits.call_timeout (10m)']],
    ['heartbeat = 300\ncall_timeout = 60', ['limits.heartbeat (5m)', 'limits.tool_timeout (5m)']],
    ['helper_wall = 300', ['limits.helper_wall (5m)', 'limits.retries (5)', 'limits.stream_idle_timeout (2m)']],
    ['root_wall = "757.2s"', ['limits.root_wall (757.2s)', 'limits.retries (5)', '757.2s']],
    ['max_concurrent = 8\nlaunch_concurrency = 9', ['limits.launch_concurrency (9)', 'limits.max_concurrent (8)']],
    ['max_concurrent = 2000', ['limits.max_concurrent (2000)', 'limits.max_admitted (1024)']],
  ])('[LIM-3] [LIM-6] a contradiction names both keys and its place: %j', (text, parts) => {
    const problem = refusal(text);
    expect(problem).toMatchObject({ exit: 4, line: expect.any(Number) });
    for (const part of parts) expect(problem.message).toContain(part);
  });

  test('[LIM-6] just more than retries and silence can take is enough', () => {
    expect(limits('root_wall = "757.3s"').root_wall_ms).toBe(757_300);
  });

  test('[LIM-6] a contradiction between the two files is shown in the project', () => {
    const places = createPlaces();
    const problem = places.problem({ user: '[limits]\nretries = 20', project: '[limits]\nhelper_wall = 1900' });
    expect(problem).toMatchObject({ file: places.projectFile, line: 2 });
  });
});

describe('bounds from flags', () => {
  test('[SUR-1] a flag that narrows one run is not held against the files', () => {
    const { limits: narrowed } = createPlaces().settings({
      user: '[limits]\nlaunch_concurrency = 32',
      flags: { '--helper-wall': '5', '--wall': '3', '--max-concurrent': '2' },
    });
    expect(narrowed).toMatchObject({
      helper_wall_ms: 5_000,
      root_wall_ms: 3_000,
      max_concurrent: 2,
      launch_concurrency: 2,
    });
  });

  test('[LIM-3] a flag beyond what is admitted is refused, naming both', () => {
    const problem = createPlaces().problem({ flags: { '--max-concurrent': '5000' } });
    expect(problem.exit).toBe(2);
    expect(problem.message).toContain('limits.max_concurrent (5000)');
    expect(problem.message).toContain('limits.max_admitted (1024)');
    expect(problem.message).toContain('--max-concurrent');
  });
});
