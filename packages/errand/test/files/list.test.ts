import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import { PINS } from './both-pins.ts';
import { calm, grow, scratchFolder } from './scratch.ts';

describe.each(PINS)('list, held %s', (_name, pin) => {
  it('[ISO-6] what lies in a folder is sorted and told by kind, and links are not followed', async () => {
    const root = scratchFolder();
    grow(root, { 'src/b.txt': 'four', 'src/a/deep.txt': '', 'src/.hidden': '', 'src/link': { to: '/etc' } });
    execFileSync('mkfifo', [join(root, 'src/pipe')]);
    const listing = await createFiles({ pin }).workspace(root).list({ path: 'src', limit: 10 }, calm());
    if (!listing.ok) throw new Error(listing.error.message);
    expect(listing.value).toMatchObject({ path: 'src', more: 0 });
    expect(listing.value.entries.map(({ path, kind, size }) => ({ path, kind, size }))).toEqual([
      { path: 'src/.hidden', kind: 'file', size: 0 },
      { path: 'src/a', kind: 'folder', size: 0 },
      { path: 'src/b.txt', kind: 'file', size: 4 },
      { path: 'src/link', kind: 'link', size: 0 },
      { path: 'src/pipe', kind: 'other', size: 0 },
    ]);
  });

  it('[RES-5] a folder with more entries than the limit is cut and counted, also when it is large', async () => {
    const root = scratchFolder();
    const workspace = createFiles({ pin }).workspace(root);
    for (let i = 0; i < 5_000; i++) writeFileSync(join(root, `a-rather-long-name-${String(i).padStart(5, '0')}`), '');
    const listing = await workspace.list({ path: '.', limit: 3 }, calm());
    if (!listing.ok) throw new Error(listing.error.message);
    expect(listing.value.entries.map((entry) => entry.path)).toEqual(readdirSync(root).sort().slice(0, 3));
    expect(listing.value.more).toBe(4_997);
  });

  it('a file, a missing folder and an ended run are refused', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': '' });
    const workspace = createFiles({ pin }).workspace(root);
    expect(await workspace.list({ path: 'a.txt', limit: 3 }, calm())).toMatchObject({
      error: { code: 'not_a_folder' },
    });
    expect(await workspace.list({ path: 'none', limit: 3 }, calm())).toMatchObject({ error: { code: 'missing' } });
    expect(await workspace.list({ path: '.', limit: 3 }, AbortSignal.abort())).toMatchObject({
      error: { code: 'stopped' },
    });
  });
});

describe('folder', () => {
  it('[ISO-6] gives the real path of a folder, from where it is asked', async () => {
    const base = scratchFolder();
    grow(base, { 'ws/src': null, way: { to: 'ws' }, 'a.txt': '' });
    const files = createFiles();
    for (const path of ['ws', 'way', `${base}/way/`, './ws/src/..']) {
      expect(await files.folder(path, base), path).toEqual({ ok: true, value: join(base, 'ws') });
    }
    expect(await files.folder('a.txt', base)).toMatchObject({ error: { code: 'not_a_folder' } });
    expect(await files.folder('none', base)).toMatchObject({ error: { code: 'missing' } });
    expect(await files.folder('ws\0', base)).toMatchObject({ error: { code: 'missing' } });
  });
});
