import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import { grow, scratchFolder } from './scratch.ts';

describe('instructions', () => {
  it('[CTX-1] from the top of the repository down to the folder, AGENTS.md before CLAUDE.md', async () => {
    const base = scratchFolder();
    grow(base, {
      'AGENTS.md': 'above',
      'repo/.git': 'gitdir: elsewhere',
      'repo/AGENTS.md': 'top',
      'repo/CLAUDE.md': 'top too',
      'repo/a/b/AGENTS.md': 'deep',
      'repo/other/AGENTS.md': 'beside',
      way: { to: 'repo/a/b' },
    });
    const expected = [
      { path: 'AGENTS.md', text: 'top' },
      { path: 'CLAUDE.md', text: 'top too' },
      { path: 'a/b/AGENTS.md', text: 'deep' },
    ];
    expect(await createFiles().instructions(join(base, 'repo/a/b'))).toEqual(expected);
    expect(await createFiles().instructions(join(base, 'way'))).toEqual(expected);
    expect(await createFiles().instructions(join(base, 'repo/a'))).toEqual(expected.slice(0, 2));
  });

  it('[CTX-1] without a repository only those of the folder itself', async () => {
    const base = scratchFolder();
    grow(base, { 'AGENTS.md': 'above', 'a/CLAUDE.md': 'here\r\n' });
    expect(await createFiles().instructions(join(base, 'a'))).toEqual([{ path: 'CLAUDE.md', text: 'here\n' }]);
    expect(await createFiles().instructions(join(base, 'none'))).toEqual([]);
  });

  it('[CTX-1] the same text counts once, also through a link', async () => {
    const base = scratchFolder();
    grow(base, {
      '.git': null,
      'AGENTS.md': 'same',
      'CLAUDE.md': { to: 'AGENTS.md' },
      'a/AGENTS.md': 'same',
      'a/CLAUDE.md': 'other',
    });
    expect((await createFiles().instructions(join(base, 'a'))).map(({ path }) => path)).toEqual([
      'AGENTS.md',
      'a/CLAUDE.md',
    ]);
  });

  it('[ISO-6] [PAIN-19] a link out of the repository, a pipe, a folder, a binary and an empty file are left out', async () => {
    const base = scratchFolder();
    grow(base, {
      'secret.md': 'OUTSIDE',
      'repo/.git': null,
      'repo/AGENTS.md': { to: '../secret.md' },
      'repo/CLAUDE.md': null,
      'repo/a/AGENTS.md': 'a\0b',
      'repo/a/CLAUDE.md': ' \n',
      'repo/a/b/CLAUDE.md': { to: '../../../none' },
    });
    execFileSync('mkfifo', [join(base, 'repo/a/b/AGENTS.md')]);
    expect(await createFiles().instructions(join(base, 'repo/a/b'))).toEqual([]);
  });

  it('[CTX-1] [RES-5] a long file is cut, and says so', async () => {
    const base = scratchFolder();
    grow(base, { 'AGENTS.md': 'ä'.repeat(40_000), 'CLAUDE.md': 'b'.repeat(30_000) });
    const [agents, claude] = await createFiles().instructions(base);
    expect(agents?.text).toMatch(/^ä{30000}\n\[.*30000 characters.*\]$/);
    expect(claude?.text).toBe('b'.repeat(30_000));
  });
});
