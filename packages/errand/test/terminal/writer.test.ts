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
  /** The terminal is another size now. */
  readonly resize: (width: number, height: number) => void;
  readonly listeners: () => number;
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
  const view = createLiveView({
    stream,
    clock,
    colours: false,
    size: () => ({ width: stream.columns, height: stream.rows }),
  });
  return {
    clock,
    view,
    written: () => chunks.join(''),
    resize(columns, rows) {
      Object.assign(stream, { columns, rows });
      stream.emit('resize');
    },
    listeners: () => stream.listenerCount('resize'),
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

  test('[SUR-1] after a resize the old tree is taken away in the rows that it takes now, and drawn anew', async () => {
    const { clock, view, written, resize, listeners } = stage();
    const story = new Story();
    view.events(story.start('root', { title: 'a title of more than forty characters, so it is' }));
    view.events(story.start('one', { parent: 'root', title: 'short' }));
    await clock.advance(200);
    const before = written().length;
    resize(40, 24);
    await clock.advance(200);
    const after = written().slice(before);
    // Two lines of more than 80 cells, and a footer of more than 40: 3 + 3 + 2.
    expect(after).toMatch(/\r\u001b\[8A\u001b\[J/u);
    expect(after.slice(after.indexOf('\u001b[J')).match(/a title/gu)).toHaveLength(1);
    view.finish();
    expect(listeners()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('[SUR-1] a wider terminal, or one that is lower than the tree, erases no more than is there', async () => {
    const { clock, view, written, resize } = stage();
    const story = new Story();
    view.events(story.start('root'));
    for (let index = 0; index < 9; index++) view.events([story.create(`run${index}`, { parent: 'root' })]);
    await clock.advance(200);
    resize(120, 24);
    await clock.advance(200);
    expect(written()).toContain('\u001b[11A\u001b[J');
    resize(20, 6);
    await clock.advance(200);
    expect(written()).toContain('\u001b[5A\u001b[J');
    view.clear();
  });

  test('[SUR-1] a remark after a resize takes the old tree away too', async () => {
    const { clock, view, written, resize } = stage();
    view.events(new Story().start('root', { title: 'the task' }));
    await clock.advance(200);
    resize(30, 24);
    view.above('stopping');
    expect(written()).toMatch(/\u001b\[2A\u001b\[Jstopping\n/u);
    view.clear();
  });

  test('[SUR-1] text that arrives is counted, and drawn no oftener than the rest', async () => {
    const { clock, view, written, drawings } = stage();
    const story = new Story();
    const begin = (step: number) => story.tell('root', { type: 'model.started', step, attempt: 1, report: null });
    view.events([...story.start('root'), begin(1)]);
    for (let index = 0; index < 200; index++) {
      view.text('root', 'abcdefghij');
      await clock.advance(5);
    }
    await clock.advance(100);
    expect(stripVTControlCharacters(written())).toContain('writing, 2.0k characters');
    expect(drawings()).toBeLessThanOrEqual(13);
    const before = written().length;
    view.events([begin(2)]);
    await clock.advance(100);
    expect(written().slice(before)).toContain('thinking');
    view.finish();
    view.text('root', 'late');
    expect(clock.pending).toBe(0);
  });
});
