import {
  closeSync,
  fstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import { createHardLinks } from '../../src/host/files/hard-links.ts';
import { confirmMatches } from '../../src/host/files/search/confirm-matches.ts';
import type { Workspace } from '../../src/ports/files.ts';
import { PINS } from './both-pins.ts';
import { calm, grow, scratchFolder } from './scratch.ts';

const LIMITS = { maxBytes: 20_000, maxLine: 1_000 };

/** A workspace beside a folder whose names and texts all say OUTSIDE. */
function twoFolders(): { readonly base: string; readonly root: string } {
  const base = scratchFolder();
  grow(base, {
    'ws/a/inside.txt': 'inside',
    'ws/b': null,
    'out/OUTSIDE.txt': 'OUTSIDE',
    'out/OUTSIDE/inside.txt': 'OUTSIDE',
  });
  return { base, root: join(base, 'ws') };
}

const names = fc.constantFrom('a', 'b', 'c', '..', '.', '', 'inside.txt', 'OUTSIDE.txt', 'OUTSIDE', 'out', 'ws', 'etc');
const path = fc.oneof(
  fc.array(names, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/')),
  fc.array(names, { maxLength: 5 }).map((parts) => `{base}/${parts.join('/')}`),
  fc.constantFrom(
    '/',
    '/etc/hostname',
    '/proc/self/root{base}/out/OUTSIDE.txt',
    '/proc/self/cwd',
    '/dev/fd/0',
    'a\0/../../out',
  ),
);
const growth = fc.record({
  at: fc.array(fc.constantFrom('a', 'b', 'c', 'x'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/')),
  kind: fc.oneof(
    fc.constantFrom('folder' as const, 'file' as const),
    path.map((target) => ({ to: target })),
  ),
});
type Growth = typeof growth extends fc.Arbitrary<infer Value> ? Value : never;

/** Grows what can be grown: a part of the way may be a file or a link that leads nowhere. */
function plant(root: string, base: string, { at, kind }: Growth): void {
  const target = join(root, at);
  try {
    // Never through a link: what is planted stays inside.
    if (realpathSync(dirname(target)) !== dirname(target)) return;
    if (kind === 'folder') mkdirSync(target);
    else if (kind === 'file') writeFileSync(target, 'inside');
    else symlinkSync(kind.to.replaceAll('{base}', base) || '.', target);
  } catch {
    // It stays as it was.
  }
}

/** The plain truth about a path, where nothing changes meanwhile. */
function isInsideFile(root: string, given: string): boolean {
  try {
    const real = realpathSync.native(given.startsWith('/') ? given : `${root}/${given}`);
    return real.startsWith(`${root}/`) && statSync(real).isFile();
  } catch {
    return false;
  }
}

async function everything(workspace: Workspace, given: string): Promise<unknown[]> {
  const signal = calm();
  const results = await Promise.all([
    workspace.read({ path: given, ...LIMITS }, signal),
    workspace.list({ path: given, limit: 100 }, signal),
    workspace.search({ pattern: 'inside|OUTSIDE', path: given, maxMatches: 100, maxLine: 200 }, signal),
    workspace.find({ glob: '**', path: given, limit: 100 }, signal),
  ]);
  return results.flatMap((result) => (result.ok ? [result.value] : []));
}

describe.each(PINS)('containment, held %s', (_name, pin) => {
  it('[ISO-6] [AUTH-5] nothing outside is ever returned, and what is inside is read, whatever links and paths there are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(growth, { maxLength: 8 }),
        fc.array(path, { minLength: 1, maxLength: 5 }),
        async (trees, paths) => {
          const { base, root } = twoFolders();
          for (const tree of trees) plant(root, base, tree);
          const workspace = createFiles({ pin }).workspace(root);
          for (const pattern of paths) {
            const given = pattern.replaceAll('{base}', base);
            expect(JSON.stringify(await everything(workspace, given))).not.toContain('OUTSIDE');
            const read = await workspace.read({ path: given, ...LIMITS }, calm());
            expect(read.ok).toBe(!given.includes('\0') && isInsideFile(root, given));
          }
        },
      ),
      { numRuns: 60 },
    );
  }, 120_000);

  it.each([
    ['a link to a file outside', { link: { to: '../out/OUTSIDE.txt' } }, 'link'],
    ['a link to a folder outside', { link: { to: '../out' } }, 'link/OUTSIDE.txt'],
    ['a link to a link to the outside', { one: { to: '../out' }, link: { to: 'one' } }, 'link/OUTSIDE.txt'],
    ['a hanging link to the outside', { link: { to: '../out/none' } }, 'link'],
    ['a way up from behind a link', { link: { to: '../out/OUTSIDE' } }, 'link/../OUTSIDE.txt'],
    ['the folder above', {}, '../out/OUTSIDE.txt'],
    ['something above that does not exist', {}, '../out/none'],
  ])('[ISO-6] [PAIN-19] %s is refused as outside', async (_what, tree, given) => {
    const { root } = twoFolders();
    grow(root, tree);
    const read = await createFiles({ pin })
      .workspace(root)
      .read({ path: given, ...LIMITS }, calm());
    expect(read).toMatchObject({ ok: false, error: { code: 'outside' } });
  });

  it('[ISO-6] a file whose folder is exchanged for a link between check and use is not read', () => {
    const { base, root } = twoFolders();
    const found = pin(root, 'a/inside.txt');
    if (!found.ok) throw new Error(found.error.message);
    renameSync(join(root, 'a'), join(root, 'was-a'));
    symlinkSync(join(base, 'out/OUTSIDE'), join(root, 'a'));
    let opened: number | null = null;
    try {
      opened = found.value.open();
    } catch {
      // Refusing is as good as holding on to the file that was checked.
    }
    const inside = statSync(join(root, 'was-a/inside.txt')).ino;
    expect(found.value.stats.ino).toBe(inside);
    if (opened !== null) {
      expect(fstatSync(opened).ino).toBe(inside);
      closeSync(opened);
    }
    found.value.close();
  });

  it('[ISO-6] a match that ripgrep saw elsewhere is not handed on', async () => {
    const { root } = twoFolders();
    const ripgrep = () => Promise.resolve({ kind: 'stopped' as const });
    const ground = { root, pin, ripgrep, hardLinks: createHardLinks() };
    const forged = { path: 'a/inside.txt', line: 1, offset: 0, bytes: Buffer.from('OUTSIDE'), text: 'OUTSIDE' };
    const honest = { ...forged, bytes: Buffer.from('inside'), text: 'inside' };
    expect(await confirmMatches(ground, [forged, honest], calm())).toEqual([
      { path: 'a/inside.txt', line: 1, text: 'inside' },
    ]);
  });

  it('[ISO-6] a hard link to a file outside is refused, one to a file inside is read', async () => {
    const { base, root } = twoFolders();
    linkSync(join(base, 'out/OUTSIDE.txt'), join(root, 'linked.txt'));
    linkSync(join(root, 'a/inside.txt'), join(root, 'b/second.txt'));
    const workspace = createFiles({ pin }).workspace(root);
    expect(await workspace.read({ path: 'linked.txt', ...LIMITS }, calm())).toMatchObject({
      error: { code: 'outside' },
    });
    expect(await workspace.read({ path: 'b/second.txt', ...LIMITS }, calm())).toMatchObject({ ok: true });
    const found = await workspace.search({ pattern: 'inside|OUTSIDE', maxMatches: 9, maxLine: 99 }, calm());
    expect(found.ok && found.value.matches.map((match) => match.path)).toEqual(['a/inside.txt', 'b/second.txt']);
  });

  it.runIf(process.platform === 'linux')('whatever comes of it, no descriptor stays open', async () => {
    const { root } = twoFolders();
    grow(root, { link: { to: '../out' }, binary: 'a\0b', large: 'line\n'.repeat(50_000) });
    const workspace = createFiles({ pin }).workspace(root);
    await everything(workspace, '.');
    const before = readdirSync('/proc/self/fd').length;
    for (const given of ['.', 'a', 'a/inside.txt', 'link', 'none', 'binary', 'large', 'a\0'])
      await everything(workspace, given);
    await workspace.read({ path: 'large', ...LIMITS }, AbortSignal.timeout(0));
    expect(readdirSync('/proc/self/fd').length).toBe(before);
  });

  it('[ISO-6] a package that its manager linked in from a store is read', async () => {
    const { base, root } = twoFolders();
    grow(root, { 'node_modules/lib': null });
    writeFileSync(join(base, 'out/store.js'), 'from the store');
    linkSync(join(base, 'out/store.js'), join(root, 'node_modules/lib/index.js'));
    const read = await createFiles({ pin })
      .workspace(root)
      .read({ path: 'node_modules/lib/index.js', ...LIMITS }, calm());
    expect(read).toMatchObject({ ok: true, value: { lines: ['from the store'] } });
  });
});

describe('the root of the disk as workspace', () => {
  it.runIf(process.platform === 'linux')('[ISO-6] memory, keys and devices are not inside', async () => {
    const workspace = createFiles().workspace('/');
    for (const given of ['proc/self/environ', '/proc/self/cmdline', 'dev/null', 'sys/kernel/uevent_seqnum']) {
      const read = await workspace.read({ path: given, ...LIMITS }, calm());
      expect(read, given).toMatchObject({ ok: false, error: { code: 'outside' } });
    }
    expect(await workspace.read({ path: 'etc/passwd', ...LIMITS }, calm())).toMatchObject({
      ok: true,
      value: { path: 'etc/passwd' },
    });
  });
});

/** Exchanges `ws/d` for a link to the outside and back, as fast as it can, until it is ended. */
const FLIPPER = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: root } = require('node:worker_threads');
  parentPort.postMessage('ready');
  for (;;) {
    renameSync(root + '/d', root + '/real');
    renameSync(root + '/link', root + '/d');
    renameSync(root + '/d', root + '/link');
    renameSync(root + '/real', root + '/d');
  }`;

describe('a race', () => {
  it.runIf(process.platform === 'linux')(
    '[ISO-6] [PAIN-19] a folder that is a link half of the time shows nothing outside',
    async () => {
      const { root } = twoFolders();
      grow(root, { 'd/inside.txt': 'inside', link: { to: '../out/OUTSIDE' } });
      const worker = new Worker(FLIPPER, { eval: true, workerData: root });
      onTestFinished(async () => void (await worker.terminate()));
      await new Promise((resolve) => worker.once('message', resolve));
      const workspace = createFiles().workspace(root);
      let reads = 0;
      for (let i = 0; i < 3_000; i++) {
        const read = await workspace.read({ path: 'd/inside.txt', ...LIMITS }, calm());
        if (read.ok) reads += 1;
        expect(read.ok ? read.value.lines : ['inside']).toEqual(['inside']);
      }
      for (let i = 0; i < 30; i++) {
        const found = await workspace.search({ pattern: 'OUTSIDE', maxMatches: 9, maxLine: 99 }, calm());
        expect(found.ok ? found.value.matches : []).toEqual([]);
      }
      expect(reads).toBeGreaterThan(0);
    },
  );
});
