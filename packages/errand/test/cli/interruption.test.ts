import { describe, expect, test } from 'vitest';
import type { EndSignal } from '../../src/app/exit-codes.ts';
import { Story } from '../terminal/story.ts';
import { type CommandLine, createCommandLine, until } from './around.ts';
import { sampleResult } from './fake-runtime.ts';

/** A run that works until it is stopped; `stubborn`: and longer. */
function working(stubborn = false): CommandLine {
  const line = createCommandLine();
  const story = new Story();
  line.runtime.onCancel = (reason) => {
    if (stubborn) return;
    line.runtime.record([story.settle('root', 'half', { state: 'cancelled', reason, partial: true })]);
    line.runtime.finish(
      sampleResult('root', {
        state: 'cancelled',
        reason,
        partial: true,
        answer: 'half',
        message: 'Stopped by a signal.',
      }),
    );
  };
  line.runtime.onStart = () => line.runtime.record([...story.start('root'), ...story.answer('root', 'half')]);
  return line;
}

/** Sends signals one after the other once the run has started, with a pause between. */
async function send(line: CommandLine, signals: readonly EndSignal[], pause = 1_000): Promise<void> {
  await until(() => line.runtime.observers > 0);
  for (const signal of signals) {
    line.signal(signal);
    await line.clock.advance(pause);
  }
}

describe('Ctrl-C and SIGTERM', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('[SUR-1] one %s stops the run, keeps what was written and ends with %d', async (signal, exit) => {
    const line = working();
    const ended = line.run('run', 'x', '--quiet');
    await send(line, [signal]);
    expect(await ended).toBe(exit);
    expect(line.runtime.cancelled).toEqual(['signal']);
    expect(line.stdout()).toBe('half\n');
    expect(line.stderr().split('\n').at(-2)).toBe(
      'errand: this answer is partial: Stopped by a signal; look at it with: errand show root',
    );
    expect(line.exited).toEqual([]);
    expect(line.runtime.closed).toBe(true);
  });

  test('[SUR-1] the first Ctrl-C says what the second does', async () => {
    const line = working(true);
    void line.run('run', 'x');
    await send(line, ['SIGINT']);
    expect(line.stderr()).toContain('stopping; press Ctrl-C again to end at once\n');
    expect(line.exited).toEqual([]);
  });

  test('[SUR-1] the second ends at once, whatever the run does', async () => {
    const line = working(true);
    void line.run('run', 'x');
    await send(line, ['SIGINT', 'SIGINT']);
    expect(line.exited).toEqual([130]);
    expect(line.runtime.cancelled).toEqual(['signal']);
  });

  test('[SUR-1] one Ctrl-C that arrives twice, from terminal and npm, is one', async () => {
    const line = working(true);
    void line.run('run', 'x');
    await send(line, ['SIGINT', 'SIGINT', 'SIGINT'], 50);
    await line.clock.advance(5_000);
    expect(line.exited).toEqual([]);
  });

  test('[SUR-1] a signal before the run exists stops it as soon as it does', async () => {
    const line = working();
    const { start } = line.runtime;
    line.runtime.start = async (request) => {
      line.signal('SIGINT');
      return start(request);
    };
    expect(await line.run('run', 'x', '--quiet')).toBe(130);
    expect(line.runtime.cancelled).toEqual(['signal']);
  });

  test('[SUR-1] after the run the signals are given back', async () => {
    const line = working();
    const ended = line.run('run', 'x');
    await send(line, ['SIGINT']);
    await ended;
    line.signal('SIGINT');
    expect(line.runtime.cancelled).toEqual(['signal']);
  });
});
