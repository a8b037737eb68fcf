import { describe, expect, test } from 'vitest';
import type { ModelUsage } from '../../src/app/face.ts';
import { addUsage, NO_USAGE, type Usage } from '../../src/domain/run/usage.ts';
import { createCommandLine } from './around.ts';
import { FakeRuntime } from './fake-runtime.ts';

function modelUsage(model: string, usage: Partial<Usage>, given: Partial<ModelUsage> = {}): ModelUsage {
  return { model, runs: 1, deleted: 0, ...given, usage: { ...NO_USAGE, ...usage } };
}

async function usageOf(models: readonly ModelUsage[], ...flags: string[]): Promise<string> {
  const runtime = new FakeRuntime();
  runtime.models = models;
  const line = createCommandLine({ runtime });
  expect(await line.run('usage', ...flags)).toBe(0);
  expect(line.stderr()).toBe('');
  expect(line.opened).toEqual(['read']);
  expect(runtime.closed).toBe(true);
  return line.stdout();
}

const LARGE = modelUsage(
  'work/large',
  { input: 120_000, cached: 80_000, output: 4_200, reasoning: 900 },
  { runs: 12, deleted: 3 },
);
const SMALL = modelUsage('work/small', { input: 950, output: 10, unknown_calls: 2 }, { runs: 2 });

describe('errand usage', () => {
  test('[RES-7] [DUR-5] what all runs have used, by model; what is not known and what is no longer kept is said', async () => {
    expect((await usageOf([LARGE, SMALL])).split('\n')).toEqual([
      'MODEL       RUNS  INPUT  CACHED  OUTPUT  REASONING',
      'work/large  12    120k   80k     4.2k    900',
      'work/small  2     950?   0?      10?     0?',
      'total       14    121k?  80k?    4.2k?   900?',
      '?: the usage of 2 calls was never told.',
      'Of these runs, 3 are no longer kept.',
      '',
    ]);
  });

  test('[RES-7] one model is its own total; nothing is said of what is not so', async () => {
    expect((await usageOf([modelUsage('work/large', { input: 7, output: 5 })])).split('\n')).toEqual([
      'MODEL       RUNS  INPUT  CACHED  OUTPUT  REASONING',
      'work/large  1     7      0       5       0',
      '',
    ]);
  });

  test('[RES-7] [DUR-5] a single one of each is one', async () => {
    const text = await usageOf([modelUsage('work/large', { unknown_calls: 1 }, { deleted: 1 })]);
    expect(text).toContain('?: the usage of 1 call was never told.\nOf these runs, 1 is no longer kept.\n');
  });

  test('[RES-7] [DUR-5] json is exactly what is documented', async () => {
    expect(JSON.parse(await usageOf([LARGE, SMALL], '--output-format', 'json'))).toEqual({
      models: [
        {
          model: 'work/large',
          runs: 12,
          deleted: 3,
          usage: { input: 120_000, cached: 80_000, output: 4_200, reasoning: 900, unknown_calls: 0 },
        },
        {
          model: 'work/small',
          runs: 2,
          deleted: 0,
          usage: { input: 950, cached: 0, output: 10, reasoning: 0, unknown_calls: 2 },
        },
      ],
      total: addUsage(LARGE.usage, SMALL.usage),
    });
  });

  test('[SUR-4] nothing there is no fault', async () => {
    expect(await usageOf([])).toBe('No runs.\n');
    expect(JSON.parse(await usageOf([], '--output-format', 'json'))).toEqual({ models: [], total: NO_USAGE });
  });

  test('[SUR-4] the name of a model injects nothing', async () => {
    const text = await usageOf([modelUsage('work/a\u001b[2J\nb', {})]);
    expect(text).not.toContain('\u001b');
    expect(text.split('\n')).toHaveLength(3);
  });

  test('[SUR-1] its help and that of all name it', async () => {
    const all = createCommandLine();
    await all.run('--help');
    expect(all.stdout()).toMatch(/^ +usage .*show what all runs have used$/mu);
    const own = createCommandLine();
    await own.run('usage', '--help');
    expect(own.stdout()).toContain('"deleted"');
  });
});
