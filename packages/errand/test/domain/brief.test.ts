import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBrief, TASK_LENGTH } from '../../src/domain/brief/brief.ts';

const LATER = [
  'profile',
  'tools',
  'write',
  'write_scope',
  'worktree',
  'fork',
  'context_turns',
  'context_window',
  'context_include',
  'background',
  'dependencies',
  'acceptance',
  'expected_artifacts',
  'output_schema',
];

describe('the brief', () => {
  it('[DEL-1] needs a task and nothing else', () => {
    expect(parseBrief({ task: 'look' })).toEqual({
      ok: true,
      value: { task: 'look', title: 'look', context: null, role: null, model: null, cwd: null, resumeFrom: null },
    });
    for (const args of [{}, { task: '' }, { task: '  \n' }, { task: null }, null, 'look', ['look']]) {
      expect(parseBrief(args)).toMatchObject({ ok: false, error: expect.stringContaining('task') });
    }
  });

  it('[DEL-1] null and blank mean absent, in every field', () => {
    const absent = Object.fromEntries(
      [...LATER, 'title', 'context', 'role', 'model', 'cwd', 'resume_from'].map((key, index) => [
        key,
        index % 2 ? null : ' ',
      ]),
    );
    expect(parseBrief({ task: 'look', ...absent })).toEqual(parseBrief({ task: 'look' }));
    expect(parseBrief({ task: 'look', write: false, worktree: false, fork: false, background: false }).ok).toBe(true);
  });

  it.each(LATER)('[DEL-1] %s is refused by name until it does something', (key) => {
    expect(parseBrief({ task: 'look', [key]: true })).toMatchObject({
      ok: false,
      error: expect.stringContaining(`"${key}" is not available`),
    });
    expect(parseBrief({ task: 'look', [key]: ['x'] }).ok).toBe(false);
  });

  it('[DEL-1] an unknown field and a wrong type are refused by name', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }),
        fc.oneof(fc.integer(), fc.boolean(), fc.constant({}), fc.constant([1])),
        (key, value) => {
          const known = ['task', 'title', 'context', 'role', 'model', 'cwd', 'resume_from', ...LATER].includes(key);
          const parsed = parseBrief({ task: 'look', [known ? 'other' : key]: value });
          expect(parsed).toMatchObject({ ok: false, error: expect.stringContaining(known ? 'other' : key) });
        },
      ),
    );
    expect(parseBrief({ task: 7 })).toMatchObject({ error: '"task" must be a text, not a number.' });
    expect(parseBrief({ task: 'look', cwd: ['a'] })).toMatchObject({ error: '"cwd" must be a text, not a list.' });
    expect(parseBrief({ task: 'look', role: 'wizard' })).toMatchObject({
      error: expect.stringContaining('"role": There is no role "wizard"'),
    });
  });

  it('[RUN-5] a title left out is the first 60 characters of the task, and 200 are the most', () => {
    const task = `${'word '.repeat(30)}end`;
    expect(parseBrief({ task })).toMatchObject({ value: { title: task.slice(0, 60) } });
    expect(parseBrief({ task, title: 'x'.repeat(200) })).toMatchObject({ value: { title: 'x'.repeat(200) } });
    expect(parseBrief({ task, title: 'x'.repeat(201) })).toMatchObject({
      ok: false,
      error: expect.stringContaining('200'),
    });
    expect(parseBrief({ task, title: 'two\nlines\t' })).toMatchObject({ value: { title: 'two lines' } });
  });

  it('[DEL-1] a task beyond the bound is refused with the numbers', () => {
    expect(parseBrief({ task: 'x'.repeat(TASK_LENGTH + 1) })).toMatchObject({
      ok: false,
      error: expect.stringContaining(String(TASK_LENGTH)),
    });
  });
});
