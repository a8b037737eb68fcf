import { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { createLiveView, type LiveView } from '../../src/terminal/writer.ts';
import { createTestClock, type TestClock } from '../../src/testing/test-clock.ts';
import { START, Story } from './story.ts';

interface Stage {
  readonly clock: TestClock;
  readonly view: LiveView;
  /** Everything written, and how often. */
  readonly written: () => string;
  readonly drawings: () => number;
}

function stage(): Stage {
  const chunks: string[] = [];
  const stream = Object.assign(
    new Writable({
      write(chunk, _encoding, done) {
        chunks.push(String(chunk));
        done();
      },
    }),
    { isTTY: true, columns: 100, rows: 24 },
  ) as unknown as NodeJS.WriteStream;
  const clock = createTestClock(START);
  const view = createLiveView({ stream, clock, colours: false, size: () => ({ width: 100, height: 24 }) });
  return {
    clock,
    view,
    written: () => chunks.join(''),
    drawings: () => chunks.filter((chunk) => chunk.includes('\n')).length,
  };
}

describe('the live view', () => {
  test('[SUR-1] draws at most about ten times a second, however much happens', async () => {
    const { clock, view, drawings } = stage();
    const story = new Story();
    view.events(story.start('root'));
    for (let index = 0; index < 200; index++) {
      view.events([story.create(`run${index}`, { parent: 'root' })]);
      await clock.advance(5);
    }
    expect(drawings()).toBeGreaterThan(5);
    expect(drawings()).toBeLessThanOrEqual(11);
  });

  test('[SUR-1] elapsed moves on by itself while something runs', async () => {
    const { clock, view, written } = stage();
    view.events(new Story().start('root'));
    await clock.advance(0);
    expect(stripVTControlCharacters(written())).toContain('0s');
    await clock.advance(3_000);
    expect(stripVTControlCharacters(written())).toContain('3s');
  });

  test('[SUR-1] no timer is left once nothing runs', async () => {
    const { clock, view } = stage();
    const story = new Story();
    view.events(story.start('root'));
    await clock.advance(0);
    expect(clock.pending).toBe(1);
    view.events([story.settle('root')]);
    await clock.advance(100);
    expect(clock.pending).toBe(0);
  });

  test('[SUR-1] the end leaves the tree as it is, and nothing is drawn afterwards', async () => {
    const { clock, view, written } = stage();
    const story = new Story();
    view.events([...story.start('root', { title: 'the task' }), story.settle('root')]);
    view.finish();
    expect(clock.pending).toBe(0);
    const end = written();
    expect(stripVTControlCharacters(end)).toContain('✓ the task');
    expect(end.endsWith('\u001b[?25h') || !end.includes('\u001b[?25l')).toBe(true);
    view.events(story.start('late'));
    await clock.advance(5_000);
    view.finish();
    expect(written()).toBe(end);
  });

  test('[SUR-1] a withdrawn run leaves nothing to see', async () => {
    const { clock, view, written } = stage();
    view.events(new Story().start('root', { title: 'the task' }));
    await clock.advance(0);
    view.clear();
    expect(written().slice(written().lastIndexOf('the task'))).toContain('\u001b[2K');
    expect(clock.pending).toBe(0);
  });

  test('[SUR-1] a remark stands above the tree, which is drawn again', async () => {
    const { clock, view, written } = stage();
    view.events(new Story().start('root', { title: 'the task' }));
    await clock.advance(0);
    view.above('stopping');
    const text = stripVTControlCharacters(written());
    expect(text.indexOf('stopping')).toBeLessThan(text.lastIndexOf('the task'));
  });
});
