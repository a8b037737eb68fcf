import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { Story } from '../terminal/story.ts';
import { createCommandLine, until } from './around.ts';
import { sampleResult } from './fake-runtime.ts';

const stream = ['run', 'x', '--output-format', 'stream-json'];

function linesOf(text: string): Record<string, unknown>[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** A root and `helpers` helpers with a few events each, mixed. */
function tale(helpers: number): Story {
  const story = new Story();
  story.start('root');
  story.answer('root', '', { calls: ['agent'] });
  const names = Array.from({ length: helpers }, (_, index) => `helper${index}`);
  for (const name of names) story.start(name, { parent: 'root', title: `line\nbreak \u2028 "${name}"` });
  for (const name of names) story.answer(name, 'text with\nbreaks\r\n and \u0000');
  for (const name of names) story.settle(name);
  story.settle('root');
  return story;
}

const helperResults = (story: Story) =>
  [...new Set(story.events.map(({ run_id }) => run_id))]
    .filter((run_id) => run_id !== 'root')
    .map((run_id) => ({ run_id }) as ReturnType<typeof sampleResult>['helpers'][number]);

describe('stream-json', () => {
  test('[SUR-2] every event is a line with run and parent, the result is the last', async () => {
    const line = createCommandLine();
    const story = tale(3);
    line.runtime.onStart = () => {
      for (const event of story.events) line.runtime.record([event]);
      line.runtime.finish(sampleResult('root', { helpers: helperResults(story) }));
    };
    expect(await line.run(...stream)).toBe(0);
    const lines = linesOf(line.stdout());
    expect(lines.slice(0, -1)).toEqual(story.events);
    expect(lines.at(-1)).toMatchObject({ type: 'result', run_id: 'root' });
    expect(Object.keys(lines[0] ?? {}).slice(0, 5)).toEqual(['type', 'run_id', 'parent_id', 'seq', 'at']);
    expect(line.stderr()).toBe('');
  });

  test('[SUR-2] nothing is printed before the root has answered something, then all of it', async () => {
    const line = createCommandLine();
    const story = new Story();
    const seen: string[] = [];
    line.runtime.onStart = async () => {
      line.runtime.record(story.start('root'));
      line.runtime.record([story.tell('root', { type: 'model.started', step: 1, attempt: 1, report: null })]);
      await line.clock.advance(0);
      seen.push(line.stdout());
      line.runtime.record([story.tell('root', { type: 'model.text', step: 1, text: 'he' })]);
      await until(() => line.stdout() !== '');
      seen.push(line.stdout());
      line.runtime.record([story.settle('root')]);
      line.runtime.finish(sampleResult('root'));
    };
    await line.run(...stream);
    expect(seen[0]).toBe('');
    expect(linesOf(seen[1] ?? '').map(({ type }) => type)).toEqual([
      'run.created',
      'run.started',
      'model.started',
      'model.text',
    ]);
  });

  test('[SUR-2] [PAIN-30] whatever is told late, twice, in any bundles or not at all, each event is printed once, in order', async () => {
    const bundles = fc.array(
      fc.record({ size: fc.integer({ min: 1, max: 6 }), heard: fc.boolean(), again: fc.boolean() }),
      {
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(bundles, fc.integer({ min: 0, max: 4 }), fc.nat(3), async (cuts, helpers, early) => {
        const line = createCommandLine();
        const story = tale(helpers);
        const rest = [...story.events];
        // Recorded before anybody listens.
        line.runtime.record(rest.splice(0, early));
        line.runtime.onStart = async () => {
          for (const { size, heard, again } of cuts) {
            const bundle = rest.splice(0, size);
            line.runtime.record(bundle, heard);
            if (again && heard) line.runtime.repeat(bundle);
            await Promise.resolve();
          }
          line.runtime.record(rest.splice(0), false);
          line.runtime.finish(sampleResult('root', { helpers: helperResults(story) }));
        };
        expect(await line.run(...stream)).toBe(0);
        const lines = linesOf(line.stdout());
        expect(lines.at(-1)?.type).toBe('result');
        const byRun = (events: readonly unknown[]) =>
          Map.groupBy(events as readonly RunEvent[], ({ run_id }) => run_id);
        expect(byRun(lines.slice(0, -1))).toEqual(byRun(story.events));
        expect(lines).toHaveLength(story.events.length + 1);
      }),
      { numRuns: 60 },
    );
  });

  test('[SUR-2] [PAIN-30] what was not told is read once the run is at rest', async () => {
    const line = createCommandLine();
    const story = tale(2);
    line.runtime.onStart = () => {
      line.runtime.record(story.events, false);
      line.runtime.finish(sampleResult('root', { helpers: helperResults(story) }));
    };
    await line.run(...stream);
    expect(linesOf(line.stdout())).toHaveLength(story.events.length + 1);
  });

  test('[SUR-2] [PAIN-30] a journal that cannot be read is an error, not a shorter stream', async () => {
    const line = createCommandLine();
    const story = tale(1);
    line.runtime.onStart = () => {
      line.runtime.record(story.events, false);
      line.runtime.events = () => Promise.reject(new Error('the store is broken'));
      line.runtime.finish(sampleResult('root', { helpers: helperResults(story) }));
    };
    expect(await line.run(...stream)).toBe(1);
    expect(line.stdout()).not.toContain('"type":"result"');
    expect(line.stderr()).toContain('the store is broken');
  });

  test('[SUR-2] when the reader goes away the run is stopped', async () => {
    const line = createCommandLine();
    const story = tale(1);
    line.runtime.onCancel = (reason) => {
      line.runtime.record([story.settle('root', '', { state: 'cancelled', reason })]);
      line.runtime.finish(sampleResult('root', { state: 'cancelled', reason }));
    };
    story.events.pop();
    line.runtime.onStart = () => {
      line.runtime.record(story.events);
      line.hangUp();
    };
    expect(await line.run(...stream)).toBe(5);
    expect(line.runtime.cancelled).toEqual(['session_end']);
  });
});
