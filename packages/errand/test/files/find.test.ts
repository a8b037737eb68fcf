import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import { compileGlob } from '../../src/host/files/search/glob.ts';
import { calm, grow, scratchFolder } from './scratch.ts';

function finder(root: string) {
  const workspace = createFiles().workspace(root);
  return async (glob: string, path?: string, limit = 100): Promise<string[]> => {
    const found = await workspace.find({ glob, ...(path && { path }), limit }, calm());
    if (!found.ok) return [found.error.code];
    const names = found.value.entries.map((entry) => (entry.kind === 'folder' ? `${entry.path}/` : entry.path));
    return found.value.more > 0 ? [...names, `${found.value.more} more`] : names;
  };
}

describe('find', () => {
  it('[ISO-6] gives files and folders in order; ignored ones, .git and links are left out', async () => {
    const root = scratchFolder();
    grow(root, {
      '.gitignore': 'dist\n*.log\n!keep.log\n',
      '.git/HEAD': '',
      'a.ts': '',
      'src/a.ts': '',
      'src/ts/b.tsx': '',
      'src/way': { to: '/etc' },
      'dist/a.ts': '',
      'x.log': '',
      'keep.log': '',
    });
    const find = finder(root);
    expect(await find('**')).toEqual(['.gitignore', 'a.ts', 'keep.log', 'src/', 'src/a.ts', 'src/ts/', 'src/ts/b.tsx']);
    expect(await find('*.ts')).toEqual(['a.ts', 'src/a.ts']);
    expect(await find('/*.ts')).toEqual(['a.ts']);
    expect(await find('ts')).toEqual(['src/ts/']);
    expect(await find('src/**')).toEqual(['src/a.ts', 'src/ts/', 'src/ts/b.tsx']);
    expect(await find('ts/*', 'src')).toEqual(['src/ts/b.tsx']);
    expect(await find('*.log')).toEqual(['keep.log']);
    expect(await find('**', undefined, 2)).toEqual(['.gitignore', 'a.ts', '5 more']);
    expect(await find('nothing')).toEqual([]);
  });

  it('a bad glob, a file and a missing folder are refused', async () => {
    const root = scratchFolder();
    grow(root, { 'a.ts': '' });
    const find = finder(root);
    expect(await find('{a')).toEqual(['bad_pattern']);
    expect(await find('*', 'a.ts')).toEqual(['not_a_folder']);
    expect(await find('*', '../')).toEqual(['outside']);
  });

  it('names with line breaks, quotes and signs are taken as they stand', async () => {
    const root = scratchFolder();
    grow(root, { 'a\nb.txt': '', "it's $(x) *.txt": '', '-rf.txt': '' });
    expect(await finder(root)('*.txt')).toEqual(['-rf.txt', 'a\nb.txt', "it's $(x) *.txt"]);
  });
});

describe('globs', () => {
  const fits = (glob: string, path: string): boolean => {
    const test = compileGlob(glob);
    if (!test.ok) throw new Error(test.error);
    return test.value(path);
  };

  it.each([
    ['*.ts', 'a/b/c.ts', true],
    ['*.ts', 'c.tsx', false],
    ['a?c', 'a😀c', true],
    ['src/*.ts', 'a/src/b.ts', false],
    ['**/src/*.ts', 'src/b.ts', true],
    ['**/src/*.ts', 'x/y/src/b.ts', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'ab', false],
    ['./a', 'b/a', false],
    ['*.{ts,js{,x}}', 'a.jsx', true],
    ['*.{ts,js{,x}}', 'a.js', true],
    ['*.{ts,js{,x}}', 'a.tsx', false],
    ['{src,lib}/*.ts', 'lib/a.ts', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x]y', ']y', true],
    ['\\*', 'a', false],
    ['\\*', '*', true],
    ['.*', '.env', true],
    ['*', '.env', true],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(fits(glob, path)).toBe(expected);
  });

  it('agree with ripgrep about files', () => {
    const root = scratchFolder();
    const folders = ['', 'a/', 'b/', 'ab/', 'a/a/', 'a/ab/', 'b/a/', 'b/b/', 'ab/ab/'];
    const all = folders.flatMap((folder) => ['ax', 'bx', 'aabx', 'xa'].map((name) => folder + name));
    grow(root, Object.fromEntries(all.map((path) => [path, ''])));
    const part = fc.constantFrom(
      'a',
      'b',
      'ab',
      '*',
      '?',
      'a*',
      '*x',
      '[ab]',
      '[!a]*',
      '**',
      '*a*b*',
      '{a,b}',
      '{a,b}x',
    );
    const globs = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
    fc.assert(
      fc.property(globs, (glob) => {
        expect(all.filter((path) => fits(glob, path)).sort()).toEqual(ripgrepFits(root, glob));
      }),
      { numRuns: 150 },
    );
  }, 60_000);

  it('take no more time for a pattern made to take long', () => {
    const start = performance.now();
    expect(fits(`${'*a'.repeat(200)}b`, 'a'.repeat(2_000))).toBe(false);
    expect(fits(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(500).concat('c'))).toBe(false);
    expect(performance.now() - start).toBeLessThan(2_000);
    expect(compileGlob('{a,b}'.repeat(30)).ok).toBe(false);
    expect(compileGlob('').ok).toBe(false);
    expect(compileGlob('x'.repeat(2_000)).ok).toBe(false);
  });
});

function ripgrepFits(root: string, glob: string): string[] {
  const args = ['--no-config', '--files', '--glob', glob];
  const { stdout } = spawnSync(rgPath, args, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter(Boolean).sort();
}
