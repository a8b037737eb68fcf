import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { renderFrame } from '../../src/terminal/frame.ts';
import { cells } from '../../src/terminal/text.ts';
import { EMPTY_VIEW, foldView } from '../../src/terminal/view.ts';
import { Story } from './story.ts';

const size = { width: 120, height: 20, colours: false };

function frame(story: Story, options: Partial<typeof size> = {}): string[] {
  return renderFrame(foldView(EMPTY_VIEW, story.events), { ...size, now: story.now, ...options });
}

/** A root that waits for a scout which searches, a scout which queues and one that has ended. */
function busy(): Story {
  const story = new Story();
  story.start('root', { title: 'Where is the clock read?', model: 'mock/large' });
  story.answer('root', '', { calls: ['agent', 'agent', 'agent'], usage: { input: 1_500, output: 20 } });
  story.start('one', { parent: 'root', title: 'base', model: 'mock/large' });
  story.start('two', { parent: 'root', title: 'engine and everything that it calls', model: 'mock/large' });
  story.create('three', { parent: 'root', title: 'host', model: 'mock/large' });
  story.tell('root', { type: 'run.waiting', on: 'children' });
  story.pass(4_000).answer('one', 'done', { usage: { input: 900, output: 60 } });
  story.settle('one');
  story.pass(61_000).answer('two', '', { calls: ['search', 'search'], usage: { input: 40_000, output: 2_000 } });
  story.startCall('two', 'search', 0);
  story.startCall('two', 'search', 1);
  story.tell('two', {
    type: 'todo.written',
    items: [
      { text: 'search', status: 'completed' },
      { text: 'read the hits', status: 'in_progress' },
      { text: 'report', status: 'pending' },
    ],
  });
  return story;
}

describe('the live tree', () => {
  test('[SUR-1] state, role, title, model, what each does, elapsed and tokens', () => {
    expect(frame(busy())).toEqual([
      '◌ Where is the clock read?                worker  mock/large  waiting for 2 helpers           1m 05s  1.5k tok',
      '├─ ✓ base                                 scout   mock/large  completed                         4.0s   960 tok',
      '├─ ● engine and everything that it calls  scout   mock/large  search ×2 · 1/3 read the hits   1m 05s   42k tok',
      '└─ ○ host                                 scout   mock/large  queued                          1m 05s',
      '3 helpers, 1 working, 1 queued, 1 ended · 1m 05s · 44k tokens',
    ]);
  });

  test('[SUR-1] elapsed stands still once a run has ended', () => {
    const story = busy();
    const before = frame(story)[1];
    expect(frame(story.pass(600_000))[1]).toBe(before);
  });

  test('[CTX-5] the to-do projection: settled of all, and the one in progress; nothing where none was written', () => {
    const lines = frame(busy());
    expect(lines[2]).toContain('1/3 read the hits');
    expect(lines[1]).not.toMatch(/\d\/\d/u);
  });

  test('[SUR-1] a narrower terminal loses the model, then the role, then tokens, then the time', () => {
    const heads = [100, 80, 60, 49, 40, 30, 12].map((width) => frame(busy(), { width })[2]);
    expect(heads).toEqual([
      expect.stringMatching(/^├─ ● engine.* {2}scout .*search ×2.*1m 05s +42k tok$/u),
      expect.stringMatching(/^├─ ● engine.* {2}scout .*search ×2.*1m 05s +42k tok$/u),
      expect.stringMatching(/^├─ ● engine[^×]*… {2}search ×2.*1m 05s/u),
      expect.stringMatching(/^├─ ● engine.*… {2}search ×2 · 1\/3.* +1m 05s$/u),
      expect.stringMatching(/^├─ ● engine.*… {2}search ×2 · 1\/3.*$/u),
      expect.stringMatching(/^├─ ● engine.*… {2}search ×2 .*…$/u),
      '├─ ● engine…',
    ]);
  });

  test('[SUR-1] endings say state, reason and that they are partial', () => {
    const story = new Story();
    story.start('root');
    story.start('one', { parent: 'root' });
    story.settle('one', 'x', { state: 'interrupted', reason: 'wall', partial: true });
    story.start('two', { parent: 'root' });
    story.settle('two', '', { state: 'failed', reason: 'empty_answer' });
    const lines = frame(story);
    expect(lines[1]).toContain('‖ task of one');
    expect(lines[1]).toContain('interrupted (wall), partial');
    expect(lines[2]).toContain('✗ task of two');
    expect(lines[2]).toContain('failed (empty_answer)');
  });

  test('[SUR-1] a title, a tool name and a to-do inject nothing', () => {
    const story = new Story();
    const evil = 'a\u001b[2J\u001b]52;c;eA==\u0007\nb';
    story.start('root', { title: evil, model: `m/${evil}` });
    story.answer('root', '', { calls: [evil] });
    story.startCall('root', evil);
    story.tell('root', { type: 'todo.written', items: [{ text: evil, status: 'in_progress' }] });
    for (const line of frame(story)) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/u);
  });

  test('[SUR-1] colours change nothing but the colours', () => {
    const story = busy();
    const coloured = frame(story, { colours: true });
    expect(coloured.join('')).toContain('\u001b[36m●\u001b[0m');
    expect(coloured.map((line) => stripVTControlCharacters(line).trimEnd())).toEqual(frame(story));
  });

  test('[SUR-1] tokens that are not all known have a question mark', () => {
    const story = new Story();
    story.start('root');
    story.answer('root', '', { usage: { unknown_calls: 1 } });
    story.start('one', { parent: 'root' });
    story.answer('one', '', { usage: { input: 1_200 } });
    const lines = frame(story);
    expect(lines[0]).toMatch(/ 0\? tok$/u);
    expect(lines[1]).toMatch(/ 1\.2k tok$/u);
    expect(lines[2]).toMatch(/ 1\.2k\? tokens$/u);
  });

  test('[SUR-1] no runs, no height: no lines', () => {
    expect(renderFrame(EMPTY_VIEW, { ...size, now: 0 })).toEqual([]);
    expect(frame(busy(), { height: 0 })).toEqual([]);
    expect(frame(busy(), { width: 0 })).toEqual([]);
  });
});

describe('a wide fan-out', () => {
  function wide(ended: number, running: number, queued: number): Story {
    const story = new Story();
    story.start('root');
    for (let index = 0; index < ended + running + queued; index++) {
      const run = `run${index}`;
      if (index < ended + running) story.start(run, { parent: 'root' });
      else story.create(run, { parent: 'root' });
      if (index < ended) story.settle(run, 'x', index % 10 === 0 ? { state: 'interrupted', reason: 'steps' } : {});
    }
    return story;
  }

  test('[SUR-1] what has ended is counted where the tree is taller than the terminal', () => {
    const lines = frame(wide(100, 3, 0), { height: 10 });
    expect(lines).toHaveLength(6);
    expect(lines.slice(1, 4).every((line) => line.includes('●'))).toBe(true);
    expect(lines[4]).toBe('└─ ‖ 10 interrupted  ✓ 90 completed');
  });

  test('[SUR-1] then what queues', () => {
    const lines = frame(wide(100, 3, 500), { height: 10 });
    expect(lines).toHaveLength(6);
    expect(lines[4]).toBe('└─ ‖ 10 interrupted  ✓ 90 completed  ○ 500 queued');
  });

  test('[SUR-1] then the rest is cut and counted', () => {
    const lines = frame(wide(100, 64, 0), { height: 10 });
    expect(lines).toHaveLength(10);
    expect(lines[8]).toBe('… +58 more');
  });

  test('[SUR-1] one that has ended is shown rather than counted', () => {
    const lines = frame(wide(1, 30, 0), { height: 40 });
    expect(lines[1]).toContain('run0');
  });

  test('[SUR-1] a helper that has ended stays while one of its own works', () => {
    const story = wide(20, 0, 0);
    story.start('deep', { parent: 'run3', title: 'still at it' });
    const lines = frame(story, { height: 10 });
    expect(lines.some((line) => line.includes('still at it'))).toBe(true);
    expect(lines.some((line) => line.includes('task of run3'))).toBe(true);
  });

  test('[SUR-1] no line is wider, and no frame taller, than the terminal, whatever it shows', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 60 });
    const runs = fc.array(
      fc.record({
        parent: fc.nat(20),
        title: text,
        tool: text,
        todo: text,
        ending: fc.boolean(),
        started: fc.boolean(),
      }),
      { minLength: 1, maxLength: 20 },
    );
    const sizes = {
      width: fc.integer({ min: 1, max: 160 }),
      height: fc.integer({ min: 1, max: 30 }),
      colours: fc.boolean(),
    };
    fc.assert(
      fc.property(runs, fc.record(sizes), (cast, given) => {
        const story = new Story();
        for (const [index, { parent, title, tool, todo, ending, started }] of cast.entries()) {
          const run = `run${index}`;
          story.create(run, index === 0 ? { title } : { title, parent: `run${parent % index}` });
          if (!started) continue;
          story.tell(run, { type: 'run.started' });
          story.answer(run, '', { calls: [tool], usage: { input: index ** 6 } });
          story.startCall(run, tool);
          story.tell(run, { type: 'todo.written', items: [{ text: todo, status: 'in_progress' }] });
          if (ending) story.pass(index ** 7).settle(run);
        }
        const lines = frame(story, given);
        expect(lines.length).toBeLessThanOrEqual(given.height);
        for (const line of lines) {
          expect(cells(stripVTControlCharacters(line))).toBeLessThanOrEqual(given.width);
          expect(stripVTControlCharacters(line)).not.toMatch(/\p{Cc}/u);
        }
      }),
    );
  });
});
