import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { offer } from '../../src/domain/authority/authorise.ts';
import { createFiles } from '../../src/host/files/create-files.ts';
import { createTools } from '../../src/tools/index.ts';
import { grow, scratchFolder } from '../files/scratch.ts';
import { contextFor, toolNamed, use } from './context.ts';

describe('the registry', () => {
  it('[AUTH-1] [MOD-9] every tool declares its risk and family, in a fixed order', () => {
    expect(createTools().map(({ name, risk, family }) => [name, risk, family])).toEqual([
      ['agent', 'read', 'delegate'],
      ['read', 'read', 'files'],
      ['list', 'read', 'files'],
      ['search', 'read', 'files'],
      ['find', 'read', 'files'],
      ['todo_write', 'none', 'todo'],
    ]);
    for (const tool of createTools()) {
      expect(tool.description.length, tool.name).toBeGreaterThan(50);
      expect(tool.parameters, tool.name).toMatchObject({ type: 'object', additionalProperties: false });
    }
  });

  it('[AUTH-4] a reader without depth is offered all but delegation', () => {
    const { authority } = contextFor(createFiles().workspace(scratchFolder()));
    expect(offer(authority, createTools()).map(({ name }) => name)).toEqual([
      'read',
      'list',
      'search',
      'find',
      'todo_write',
    ]);
  });
});

describe('arguments', () => {
  const told = (name: string, args: Json): string => {
    const parsed = toolNamed(name).parse(args);
    return parsed.ok ? JSON.stringify(parsed.value) : parsed.error;
  };

  it.each<[string, Json, RegExp]>([
    ['read', {}, /"path" is missing: a text/],
    ['read', { path: 3 }, /"path" must be a text/],
    ['read', { path: '' }, /"path" must not be empty/],
    ['read', { path: 'a', line: 3 }, /"read" has no field "line".*path, from, to/],
    ['read', { file: 'a' }, /"read" has no field "file".*path/],
    ['read', { path: 'a', from: 0 }, /"from" must be at least 1/],
    ['read', { path: 'a', from: 1.5 }, /"from" must be a whole number/],
    ['read', { path: 'a', from: 'first' }, /"from" must be a number/],
    ['read', { path: 'a', from: 5, to: 4 }, /"to" \(4\).*"from" \(5\)/],
    ['read', [], /must be an object/],
    ['list', 'src', /must be an object/],
    ['search', { pattern: 'a', fixed: 'maybe' }, /"fixed" must be true or false/],
    ['search', { pattern: 'a', ['__proto__' as string]: 1, constructor: 1 }, /has no field "__proto__"/],
    ['todo_write', { items: 'x' }, /"items" must be a list/],
    [
      'todo_write',
      { items: [{ text: 'a', status: 'done' }] },
      /"items\[0\]\.status" must be one of: pending, in_progress, completed/,
    ],
    ['todo_write', { items: [{ text: 'a', status: 'pending', id: 1 }] }, /"items\[0\]" has no field "id"/],
    ['todo_write', { items: [{ text: '', status: 'pending' }] }, /"items\[0\]\.text" must not be empty/],
    [
      'todo_write',
      { items: [{ text: 'x'.repeat(1_001), status: 'pending' }] },
      /"items\[0\]\.text" must not be longer than 1000/,
    ],
    ['todo_write', { items: Array(101).fill({ text: 'a', status: 'pending' }) }, /"items" must not have more than 100/],
    [
      'todo_write',
      { items: Array(2).fill({ text: 'a', status: 'in_progress' }) },
      /2 entries in_progress; at most one/,
    ],
    ['agent', 'do it', /must be an object with at least "task"/],
  ])('[MOD-9] %s %j is refused in a sentence that names the field', (name, args, sentence) => {
    const text = told(name, args);
    expect(text).toMatch(sentence);
    expect(text).toMatch(/^[^\n]+\.$/);
  });

  it.each<[string, Json, Json]>([
    ['list', null, {}],
    ['list', { path: null }, {}],
    ['read', { path: 'a', from: '3', to: ' 14 ' }, { path: 'a', from: 3, to: 14 }],
    ['read', { path: '7', from: null }, { path: '7' }],
    ['search', { pattern: '7', fixed: 'True', whole_word: null }, { pattern: '7', fixed: true }],
    ['agent', { task: 'x', anything: [1] }, { task: 'x', anything: [1] }],
  ])('[MOD-9] %s %j is accepted', (name, args, expected) => {
    expect(JSON.parse(told(name, args))).toEqual(expected);
  });
});

describe('read', () => {
  it('[MOD-9] numbers the lines and says where to read on', async () => {
    const root = scratchFolder();
    grow(root, { 'src/a.txt': 'one\ntwo\nthree\n', empty: '' });
    const context = contextFor(createFiles().workspace(root));
    expect(await use('read', { path: 'src/a.txt' }, context)).toEqual({
      status: 'ok',
      output: 'src/a.txt (lines 1-3 of 3)\n    1\tone\n    2\ttwo\n    3\tthree',
      facts: { read: 'src/a.txt', lines: [1, 3] },
    });
    expect(await use('read', { path: 'src/a.txt', from: 2, to: '2' }, context)).toEqual({
      status: 'ok',
      output: 'src/a.txt (lines 2-2 of 3)\n    2\ttwo\n(There is more: read on with from: 3.)',
      facts: { read: 'src/a.txt', lines: [2, 2] },
    });
    expect(await use('read', { path: 'src/a.txt', from: 9 }, context)).toMatchObject({
      status: 'error',
      output: 'src/a.txt has 3 lines; there is no line 9.',
    });
    expect(await use('read', { path: 'empty' }, context)).toMatchObject({ status: 'ok', output: 'empty is empty.' });
  });

  it('[RES-5] a long file is given in parts that together are the file', async () => {
    const root = scratchFolder();
    const lines = Array.from({ length: 9_000 }, (_, index) => (index % 3 === 0 ? '' : `line ${index}`));
    grow(root, { 'a.txt': lines.map((line) => `${line}\n`).join('') });
    const context = contextFor(createFiles().workspace(root));
    const seen: string[] = [];
    for (let from = 1; from > 0; ) {
      const { output } = await use('read', { path: 'a.txt', from }, context);
      expect(output.length).toBeLessThanOrEqual(28_000);
      seen.push(...[...output.matchAll(/^ *\d+\t(.*)$/gmu)].map((match) => match[1] ?? ''));
      from = Number(/read on with from: (\d+)/u.exec(output)?.[1] ?? 0);
    }
    expect(seen).toEqual(lines);
  });

  it('[ISO-6] [AUTH-5] what lies outside is refused, what is missing is an error, and what was stopped is stopped', async () => {
    const context = contextFor(createFiles().workspace(scratchFolder()));
    expect(await use('read', { path: '/etc/hostname' }, context)).toMatchObject({
      status: 'refused',
      output: expect.stringContaining('outside'),
    });
    expect(await use('read', { path: 'none' }, context)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('"none"'),
    });
    const stopped = contextFor(context.workspace, AbortSignal.abort());
    for (const [name, args] of [
      ['read', { path: 'a' }],
      ['list', {}],
      ['search', { pattern: 'a' }],
      ['find', { glob: '*' }],
    ] as const) {
      expect(await use(name, args, stopped), name).toMatchObject({ status: 'stopped' });
    }
  });
});

describe('list, find and search', () => {
  it('[MOD-9] one path a line, folders with a slash, what is odd marked', async () => {
    const root = scratchFolder();
    grow(root, {
      'src/a.txt': 'foo',
      'src/b/c.txt': 'bar',
      'src/link': { to: '/etc' },
      'src/two\nlines': '',
      none: null,
    });
    const context = contextFor(createFiles().workspace(root));
    expect(await use('list', { path: 'src' }, context)).toEqual({
      status: 'ok',
      output: 'src/a.txt\nsrc/b/\nsrc/link (link)\n"src/two\\nlines"',
      facts: { listed: 'src' },
    });
    expect(await use('list', {}, context)).toMatchObject({ output: 'none/\nsrc/', facts: { listed: '.' } });
    expect(await use('list', { path: 'none' }, context)).toMatchObject({
      status: 'ok',
      output: 'none is an empty folder.',
    });
    expect(await use('find', { glob: '*.txt' }, context)).toMatchObject({
      output: 'src/a.txt\nsrc/b/c.txt',
      facts: { found: '.', glob: '*.txt', entries: 2 },
    });
    expect(await use('find', { glob: 'x', path: 'src' }, context)).toMatchObject({
      status: 'ok',
      output: 'Nothing fits "x" in src.',
    });
    expect(await use('search', { pattern: 'foo|bar' }, context)).toEqual({
      status: 'ok',
      output: 'src/a.txt:1: foo\nsrc/b/c.txt:1: bar',
      facts: { searched: '.', pattern: 'foo|bar', matches: 2 },
    });
    expect(await use('search', { pattern: 'x(', fixed: true, path: 'src', glob: '*.txt' }, context)).toMatchObject({
      status: 'ok',
      output: 'No match for "x(" in src (files *.txt).',
      facts: { matches: 0 },
    });
    expect(await use('search', { pattern: 'x(' }, context)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('fixed'),
    });
  });

  it('[RES-5] each result is bounded and says that it was cut', async () => {
    const root = scratchFolder();
    const name = (index: number): string => `${'long-name-'.repeat(12)}${String(index).padStart(4, '0')}.txt`;
    grow(root, Object.fromEntries(Array.from({ length: 700 }, (_, index) => [name(index), `${'foo '.repeat(70)}\n`])));
    const context = contextFor(createFiles().workspace(root));
    for (const [tool, args] of [
      ['list', {}],
      ['find', { glob: '*' }],
      ['search', { pattern: 'foo' }],
    ] as const) {
      const { output } = await use(tool, args, context);
      expect(output.length, tool).toBeLessThanOrEqual(28_000);
      expect(output.split('\n').at(-1), tool).toMatch(/^\(.*(?:not shown|Cut after).*\)$/);
    }
  });
});

describe('todo_write and agent', () => {
  it('[CTX-5] the list replaces the one before, exactly as given', async () => {
    const context = contextFor(createFiles().workspace(scratchFolder()));
    const items = [
      { text: ' first ', status: 'completed' },
      { text: 'second\nline', status: 'in_progress' },
    ];
    expect(await use('todo_write', { items }, context)).toMatchObject({
      status: 'ok',
      output: expect.stringContaining('1 of 2'),
    });
    await use('todo_write', { items: [] }, context);
    expect(context.todos).toEqual([items, []]);
  });

  it('[AUTH-1] agent hands its arguments over as they are and gives back what comes of it', async () => {
    const context = contextFor(createFiles().workspace(scratchFolder()));
    expect(await use('agent', { task: 'x', role: 'oracle' }, context)).toEqual({ status: 'ok', output: 'the answer' });
    expect(context.delegated).toEqual([{ task: 'x', role: 'oracle' }]);
    const { properties } = toolNamed('agent').parameters;
    expect(Object.keys(properties as object)).toEqual([
      'task',
      'title',
      'context',
      'role',
      'model',
      'resume_from',
      'cwd',
    ]);
  });
});
