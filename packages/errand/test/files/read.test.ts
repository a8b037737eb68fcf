import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFiles } from '../../src/host/files/create-files.ts';
import type { ReadRequest } from '../../src/ports/files.ts';
import { PINS } from './both-pins.ts';
import { calm, grow, scratchFolder } from './scratch.ts';

const LIMITS = { maxBytes: 26_000, maxLine: 2_000 };

function reader(root: string) {
  const workspace = createFiles().workspace(root);
  return (path: string, request: Partial<ReadRequest> = {}) => workspace.read({ path, ...LIMITS, ...request }, calm());
}

function numbered(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');
}

describe('lines', () => {
  it('[ISO-6] a file is read by its path from the root or by its full path, and told relative to the root', async () => {
    const root = scratchFolder();
    grow(root, { 'src/a.txt': 'one\ntwo\n', way: { to: 'src' } });
    const read = reader(root);
    const expected = {
      ok: true,
      value: { path: 'src/a.txt', first: 1, lines: ['one', 'two'], total: 2, more: false, encoding: 'utf-8' },
    };
    for (const path of ['src/a.txt', './src/.//a.txt', `${root}/src/a.txt`, 'way/a.txt', 'src/../src/a.txt']) {
      expect(await read(path), path).toEqual(expected);
    }
  });

  it('a range is given with what comes after it', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': numbered(10) });
    const read = reader(root);
    expect(await read('a.txt', { from: 3, to: 4 })).toMatchObject({
      value: { first: 3, lines: ['line 3', 'line 4'], total: 10, more: true },
    });
    expect(await read('a.txt', { from: 9 })).toMatchObject({
      value: { first: 9, lines: ['line 9', 'line 10'], more: false },
    });
    expect(await read('a.txt', { from: 11 })).toMatchObject({
      value: { first: 11, lines: [], total: 10, more: false },
    });
  });

  it.each([
    ['an empty file', '', [], 0],
    ['a last line without a break', 'a\nb', ['a', 'b'], 2],
    ['empty lines', '\n\n', ['', ''], 2],
    ['CRLF', 'a\r\nb\r\n', ['a', 'b'], 2],
    ['mixed ends', 'a\r\nb\nc\r', ['a', 'b', 'c'], 3],
  ])('%s', async (_what, content, lines, total) => {
    const root = scratchFolder();
    grow(root, { 'a.txt': content });
    expect(await reader(root)('a.txt')).toMatchObject({ value: { lines, total, more: false } });
  });

  it('[RES-5] the text is bounded by bytes, at least one line, and more is told', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': 'ä'.repeat(40).concat('\n').repeat(100), 'b.txt': `${'x'.repeat(5_000)}\ny\n` });
    const read = await reader(root)('a.txt', { maxBytes: 1_000 });
    expect(read).toMatchObject({ value: { total: 100, more: true } });
    expect(read.ok && read.value.lines.length).toBe(Math.floor(1_000 / 81));
    const one = await reader(root)('b.txt', { maxBytes: 30 });
    expect(one.ok && one.value.lines).toEqual([expect.stringMatching(/^x+… \[\d+ characters left out\]$/)]);
    expect(one).toMatchObject({ value: { more: true, total: 2 } });
  });

  it('[RES-5] a long line is cut with a mark that says how many characters are left out', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': `${'a'.repeat(3_456)}\r\nshort\n`, 'emoji.txt': '😀'.repeat(10) });
    const read = await reader(root)('a.txt', { maxLine: 100 });
    expect(read).toMatchObject({ value: { lines: [`${'a'.repeat(100)}… [3356 characters left out]`, 'short'] } });
    const emoji = await reader(root)('emoji.txt', { maxLine: 5 });
    expect(emoji).toMatchObject({ value: { lines: ['😀😀… [16 characters left out]'] } });
  });

  it('the lines are those of the file, whatever its size, ends and range', async () => {
    const root = scratchFolder();
    const read = reader(root);
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\r\n\0]/gu, ' '));
    const pad = fc.constantFrom(0, 3_000, 9_000);
    const parts = [fc.array(line, { maxLength: 20 }), pad, fc.constantFrom('\n', '\r\n'), fc.nat(30)] as const;
    await fc.assert(
      fc.asyncProperty(...parts, async (some, padding, end, skip) => {
        // The padding makes it large enough to be read in pieces, with characters across their borders.
        const lines = [
          ...some,
          ...Array.from({ length: padding }, (_, index) => `ü${index} ${'ö'.repeat(index % 40)}`),
        ];
        writeFileSync(join(root, 'a.txt'), lines.map((text) => text + end).join(''));
        const got = await read('a.txt', { from: skip + 1, maxBytes: 10_000_000 });
        expect(got).toMatchObject({ value: { lines: lines.slice(skip), total: lines.length, more: false } });
      }),
      { numRuns: 60 },
    );
  });
});

describe('encodings', () => {
  const text = 'grün ☃\nzwei\n';
  const le = Buffer.from(`\ufeff${text}`, 'utf16le');
  it.each([
    ['UTF-8', Buffer.from(text), 'utf-8'],
    ['UTF-8 with byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8 with byte order mark'],
    ['UTF-16 LE', le, 'utf-16le'],
    ['UTF-16 BE', Buffer.from(le).swap16(), 'utf-16be'],
  ])('%s', async (_name, bytes, encoding) => {
    const root = scratchFolder();
    grow(root, { 'a.txt': bytes });
    expect(await reader(root)('a.txt')).toMatchObject({ value: { lines: ['grün ☃', 'zwei'], encoding } });
  });

  it('what is no UTF-8 is read as Latin-1, and said to be', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': Buffer.from('grün\n', 'latin1') });
    expect(await reader(root)('a.txt')).toMatchObject({ value: { lines: ['grün'], encoding: 'latin1' } });
  });

  it('a large UTF-16 file is read in pieces', async () => {
    const root = scratchFolder();
    const be = Buffer.from(`\ufeff${numbered(60_000)}`, 'utf16le').swap16();
    grow(root, { 'a.txt': be });
    expect(await reader(root)('a.txt', { from: 59_999 })).toMatchObject({
      value: { lines: ['line 59999', 'line 60000'], total: 60_000 },
    });
  });
});

describe.each(PINS)('what is no text, held %s', (_name, pin) => {
  const refused = async (root: string, path: string) =>
    createFiles({ pin })
      .workspace(root)
      .read({ path, ...LIMITS }, calm());

  it.each([
    ['a picture', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), 'PNG image, 16 bytes'],
    ['a PDF', Buffer.from('%PDF-1.7\n%âãÏÓ'), 'PDF document'],
    ['an archive', Buffer.from([0x1f, 0x8b, 8, 1, 2, 3]), 'gzip archive, 6 bytes'],
    ['NUL bytes', Buffer.from('text\0text'), 'binary data, 9 bytes'],
    ['UTF-16 without a mark', Buffer.from('text', 'utf16le'), 'binary data'],
  ])('%s is refused with its kind and size', async (_what, bytes, said) => {
    const root = scratchFolder();
    grow(root, { thing: bytes });
    const read = await refused(root, 'thing');
    expect(read).toMatchObject({ ok: false, error: { code: 'binary', message: expect.stringContaining(said) } });
  });

  it('[ISO-6] a folder, a pipe, a socket and a device are refused at once', async () => {
    const root = scratchFolder();
    grow(root, { folder: null });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    for (const path of ['folder', 'pipe', 'socket', '.']) {
      expect(await refused(root, path), path).toMatchObject({ ok: false, error: { code: 'not_a_file' } });
    }
    server.close();
    expect(await refused('/dev', 'zero')).toMatchObject({ error: { code: 'not_a_file' } });
    expect(await refused('/dev', 'tty')).toMatchObject({ ok: false });
  });

  it('what is missing, in a circle or too long is said to be so', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': 'a', one: { to: 'two' }, two: { to: 'one' }, hanging: { to: 'nowhere' } });
    for (const path of [
      'none',
      'a.txt/b',
      'one',
      'hanging',
      'x'.repeat(300),
      'a/'.repeat(3_000),
      'a.txt\0.png',
      '~/a.txt',
      'file:///a.txt',
    ]) {
      const read = await refused(root, path);
      expect(read, path).toMatchObject({ ok: false, error: { code: 'missing' } });
      expect(!read.ok && read.error.message.length).toBeLessThan(500);
    }
  });

  it.skipIf(process.getuid?.() === 0)('what the system denies is unreadable', async () => {
    const root = scratchFolder();
    grow(root, { 'a.txt': 'a' });
    chmodSync(join(root, 'a.txt'), 0);
    expect(await refused(root, 'a.txt')).toMatchObject({ error: { code: 'unreadable' } });
  });
});

describe('huge files', () => {
  it('the first lines of a huge file are read without reading the rest', async () => {
    const root = scratchFolder();
    grow(root, { 'a.log': numbered(60_000) });
    truncateSync(join(root, 'a.log'), 2 ** 33);
    const before = process.memoryUsage().rss;
    const read = await reader(root)('a.log', { from: 1, to: 100 });
    expect(read).toMatchObject({ value: { first: 1, total: null, more: true } });
    expect(read.ok && read.value.lines.length).toBe(100);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('where the text of a huge file ends in nothing but NUL it counts as binary', async () => {
    const root = scratchFolder();
    grow(root, { 'a.log': numbered(60_000) });
    truncateSync(join(root, 'a.log'), 2 ** 33);
    expect(await reader(root)('a.log', { from: 100_000 })).toMatchObject({ error: { code: 'binary' } });
  });

  it('a file that is one endless line is cut, and counting ends', async () => {
    const root = scratchFolder();
    const path = join(root, 'a.json');
    const piece = 'x'.repeat(8 * 1024 * 1024);
    for (let i = 0; i < 10; i++) appendFileSync(path, piece);
    const read = await reader(root)('a.json', { maxLine: 50 });
    expect(read).toMatchObject({ value: { total: null, more: true } });
    expect(read.ok && read.value.lines).toEqual([
      expect.stringMatching(/^x{50}… \[more than \d{8,} characters left out\]$/),
    ]);
  });

  it('reading stops when it is told to', async () => {
    const root = scratchFolder();
    grow(root, { 'a.log': numbered(200_000) });
    const stop = new AbortController();
    const workspace = createFiles().workspace(root);
    const reading = workspace.read({ path: 'a.log', from: 199_999, ...LIMITS }, stop.signal);
    stop.abort();
    expect(await reading).toMatchObject({ ok: false, error: { code: 'stopped' } });
    expect(await workspace.read({ path: 'a.log', ...LIMITS }, stop.signal)).toMatchObject({
      error: { code: 'stopped' },
    });
  });
});
