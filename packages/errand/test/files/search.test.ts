import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import type { SearchRequest } from '../../src/ports/files.ts';
import { calm, grow, scratchFolder } from './scratch.ts';

function searcher(root: string) {
  const workspace = createFiles().workspace(root);
  return async (request: Partial<SearchRequest> & { readonly pattern: string }): Promise<string[]> => {
    const found = await workspace.search({ maxMatches: 100, maxLine: 200, ...request }, calm());
    if (!found.ok) return [`${found.error.code}: ${found.error.message}`];
    const lines = found.value.matches.map(({ path, line, text }) => `${path}:${line}:${text}`);
    return found.value.more ? [...lines, 'more'] : lines;
  };
}

describe('search', () => {
  it('gives lines in the order of the paths', async () => {
    const root = scratchFolder();
    grow(root, { 'b.txt': 'x\nfoo 1\n', 'a/c.txt': 'foo 2\r\nfoo 3\r\n', '.github/w.yml': 'foo 4', 'z.txt': 'bar' });
    const search = searcher(root);
    expect(await search({ pattern: 'fo+ \\d$' })).toEqual([
      '.github/w.yml:1:foo 4',
      'a/c.txt:1:foo 2',
      'a/c.txt:2:foo 3',
      'b.txt:2:foo 1',
    ]);
    expect(await search({ pattern: 'foo', path: 'a' })).toEqual(['a/c.txt:1:foo 2', 'a/c.txt:2:foo 3']);
    expect(await search({ pattern: 'foo', path: 'b.txt' })).toEqual(['b.txt:2:foo 1']);
    expect(await search({ pattern: 'nowhere' })).toEqual([]);
  });

  it('takes a text as it stands, without case, or as a whole word', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': 'f(x) = [1]\nFOO\nfoobar foo\n' });
    const search = searcher(root);
    expect(await search({ pattern: 'f(x) = [', fixed: true })).toEqual(['a.txt:1:f(x) = [1]']);
    expect(await search({ pattern: 'foo', ignoreCase: true })).toEqual(['a.txt:2:FOO', 'a.txt:3:foobar foo']);
    expect(await search({ pattern: 'foobar?', wholeWord: true })).toEqual(['a.txt:3:foobar foo']);
    expect(await search({ pattern: 'oba', wholeWord: true })).toEqual([]);
  });

  it('[ISO-6] a pattern, a path or a glob that looks like an option is none', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': '--files\n-e x\n', '--pre': 'inside' });
    const search = searcher(root);
    expect(await search({ pattern: '--files' })).toEqual(['a.txt:1:--files']);
    expect(await search({ pattern: '-e', fixed: true })).toEqual(['a.txt:2:-e x']);
    expect(await search({ pattern: 'inside', path: '--pre' })).toEqual(['--pre:1:inside']);
    expect(await search({ pattern: 'inside', glob: '--pre' })).toEqual(['--pre:1:inside']);
    expect(await search({ pattern: 'inside', glob: '-g' })).toEqual([]);
  });

  it('a bad pattern is told in ripgrep’s words, with the way out', async () => {
    const root = scratchFolder();
    const search = searcher(root);
    const [unclosed] = await search({ pattern: 'a(' });
    expect(unclosed).toMatch(/^bad_pattern: .*unclosed group.*fixed/);
    expect((await search({ pattern: 'a(?=b)' }))[0]).toMatch(/^bad_pattern: .*look-around.*fixed/);
    expect((await search({ pattern: 'a\\nb' }))[0]).toMatch(/^bad_pattern: .*fixed/);
    for (const pattern of ['', 'a\0b', 'x'.repeat(30_000)])
      expect((await search({ pattern }))[0]).toMatch(/^bad_pattern/);
    expect((await search({ pattern: 'a', glob: '[' }))[0]).toMatch(/^bad_pattern: .*"\["/);
  });

  it('[ISO-6] ignored files, .git, binary files and links are left out; what is named is searched', async () => {
    const root = scratchFolder();
    grow(root, {
      '.gitignore': '*.gen.ts\ndist/\n',
      'a.ts': 'foo',
      'a.gen.ts': 'foo',
      'dist/b.ts': 'foo',
      'node/c.bin': 'foo\n\0\nfoo',
      link: { to: 'a.ts' },
      'sub/.gitignore': 'd.ts\n',
      'sub/d.ts': 'foo',
      '.git/config': 'foo',
    });
    const search = searcher(root);
    expect(await search({ pattern: 'foo' })).toEqual(['a.ts:1:foo']);
    expect(await search({ pattern: 'foo', glob: '*.ts' })).toEqual(['a.ts:1:foo']);
    expect(await search({ pattern: 'foo', glob: '**/*.ts' })).toEqual(['a.ts:1:foo']);
    expect(await search({ pattern: 'foo', path: 'dist/b.ts' })).toEqual(['dist/b.ts:1:foo']);
    expect(await search({ pattern: 'foo', path: 'node/c.bin' })).toEqual([]);
  });

  it('ignore files count outside of a repository too, and those above the workspace do not', async () => {
    const base = scratchFolder();
    grow(base, { '.gitignore': '*', 'ws/.gitignore': 'no.txt', 'ws/no.txt': 'foo', 'ws/yes.txt': 'foo' });
    expect(await searcher(join(base, 'ws'))({ pattern: 'foo' })).toEqual(['ws/yes.txt:1:foo'.slice(3)]);
  });

  it('a glob with a slash is read from the folder that is searched', async () => {
    const root = scratchFolder();
    grow(root, { 'a/src/x.ts': 'foo', 'a/src/y.js': 'foo', 'src/z.ts': 'foo' });
    const search = searcher(root);
    expect(await search({ pattern: 'foo', glob: 'src/*.ts' })).toEqual(['src/z.ts:1:foo']);
    expect(await search({ pattern: 'foo', glob: 'src/*.{ts,js}', path: 'a' })).toEqual([
      'a/src/x.ts:1:foo',
      'a/src/y.js:1:foo',
    ]);
  });

  it.each([
    ['UTF-8 with byte order mark', Buffer.from('\ufefffoo ☃\n')],
    ['UTF-16', Buffer.from('\ufefffoo ☃\n', 'utf16le')],
  ])('%s is searched', async (_name, bytes) => {
    const root = scratchFolder();
    grow(root, { 'a.txt': bytes });
    expect(await searcher(root)({ pattern: 'foo' })).toEqual(['a.txt:1:foo ☃']);
  });

  it('Latin-1 is searched', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': Buffer.from('foo grün\n', 'latin1') });
    expect(await searcher(root)({ pattern: 'foo' })).toEqual(['a.txt:1:foo grün']);
  });

  it('[RES-5] it ends at the limit, says so, and cuts long lines around what was found', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': 'foo\n'.repeat(10), 'b.txt': `${'x'.repeat(1_000)}foo${'y'.repeat(1_000)}` });
    const search = searcher(root);
    expect(await search({ pattern: 'foo', path: 'a.txt', maxMatches: 10 })).toHaveLength(10);
    expect(await search({ pattern: 'foo', maxMatches: 3 })).toEqual([
      'a.txt:1:foo',
      'a.txt:2:foo',
      'a.txt:3:foo',
      'more',
    ]);
    const [long] = await search({ pattern: 'foo', path: 'b.txt', maxLine: 60 });
    expect(long).toMatch(/^b\.txt:1:\[980 characters left out\] …x{20}fooy{37}… \[963 characters left out\]$/);
  });

  it('a line longer than any that is looked at ends as "more", not in memory', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': `foo${'x'.repeat(5 * 1024 * 1024)}`, 'b.txt': 'foo' });
    expect(await searcher(root)({ pattern: 'foo' })).toEqual(['b.txt:1:foo', 'more']);
  });
});

/** Our own ripgrep processes, as the system tells them. */
function ripgreps(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return stat.includes('(rg) ') && Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === process.pid;
    } catch {
      return false;
    }
  });
}

/** A folder in which ripgrep hangs: it reads a pipe as a list of patterns. */
function trap(): string {
  const root = scratchFolder();
  grow(root, { 'a.txt': 'foo', 'deep/b.txt': 'foo' });
  execFileSync('mkfifo', [join(root, 'deep/.gitignore')]);
  return root;
}

describe.runIf(process.platform === 'linux')('processes', () => {
  it('[MOD-9] a search that is stopped leaves no process', async () => {
    const workspace = createFiles().workspace(trap());
    const stop = new AbortController();
    const searching = workspace.search({ pattern: 'foo', maxMatches: 9, maxLine: 99 }, stop.signal);
    const finding = workspace.find({ glob: '*', limit: 9 }, stop.signal);
    while (ripgreps().length < 2) await setImmediate();
    stop.abort();
    expect(await searching).toMatchObject({ ok: false, error: { code: 'stopped' } });
    expect(await finding).toMatchObject({ ok: false, error: { code: 'stopped' } });
    expect(ripgreps()).toEqual([]);
  });

  it('a pipe that poses as an ignore file does not hold a search for ever', async () => {
    const root = trap();
    const workspace = createFiles({ searchDeadline: 100 }).workspace(root);
    const found = await workspace.search({ pattern: 'foo', maxMatches: 9, maxLine: 99 }, calm());
    expect(found).toMatchObject({ ok: true, value: { matches: [{ path: 'a.txt' }], more: true } });
    const none = await workspace.search({ pattern: 'foo', path: 'deep', maxMatches: 9, maxLine: 99 }, calm());
    expect(none).toMatchObject({ ok: false, error: { code: 'unreadable' } });
    expect(ripgreps()).toEqual([]);
  });

  it('those that wait for their turn can be stopped, and the others get it', async () => {
    const root = trap();
    grow(root, { 'other/c.txt': 'foo' });
    const workspace = createFiles({ searches: 1 }).workspace(root);
    const request = { pattern: 'foo', maxMatches: 9, maxLine: 99 };
    const first = new AbortController();
    const second = new AbortController();
    const hanging = workspace.search(request, first.signal);
    const waiting = workspace.search(request, second.signal);
    const served = workspace.search({ ...request, path: 'other' }, calm());
    while (ripgreps().length < 1) await setImmediate();
    second.abort();
    expect(await waiting).toMatchObject({ error: { code: 'stopped' } });
    expect(ripgreps()).toHaveLength(1);
    first.abort();
    expect(await hanging).toMatchObject({ error: { code: 'stopped' } });
    expect(await served).toMatchObject({ ok: true, value: { matches: [{ path: 'other/c.txt' }] } });
  });
});
