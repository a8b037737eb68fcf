import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('fixtures/fake-errand.ts', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

interface Program {
  readonly child: ChildProcess & { readonly stdout: NodeJS.ReadableStream & { destroy(): void } };
  readonly ended: Promise<Ended>;
}

/** A process of its own with pipes; `mode` and sizes are those of the fixture. */
function start(
  mode: 'ends' | 'works' | 'there' | 'breaks',
  sizes: readonly [count: number, size: number],
  argv: readonly string[],
): Program {
  const child = spawn(process.execPath, [PROGRAM, mode, ...sizes.map(String), ...argv], {
    env: { PATH: process.env.PATH, ERRAND_HOME: '/nonexistent/errand-home', NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  return { child, ended };
}

/** Reads as slowly as a reader can that does not sleep: one chunk, then everything else first. */
async function readSlowly(program: Program): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of program.child.stdout) {
    parts.push(chunk as Buffer);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return Buffer.concat(parts).toString();
}

const stream = ['run', 'x', '--output-format', 'stream-json'];

describe('a pipe to another process', () => {
  test('[SUR-2] [PAIN-30] 10 MB of events reach a slow reader whole, the result last', async () => {
    const program = start('ends', [25, 100_000], stream);
    const text = await readSlowly(program);
    expect(text.endsWith('}\n')).toBe(true);
    const lines = text
      .slice(0, -1)
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(4 + 25 * 5 + 2);
    expect(lines.at(-1)).toMatchObject({ type: 'result', answer: 'é'.repeat(100_000) });
    expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' });
  });

  test.each(['text', 'json'])('[SUR-2] [PAIN-30] so does a large answer as %s', async (format) => {
    const program = start('ends', [0, 2_000_000], ['run', 'x', '--quiet', '--output-format', format]);
    const text = await readSlowly(program);
    const answer = format === 'json' ? JSON.parse(text).answer : text.trimEnd();
    expect(answer).toHaveLength(2_000_000);
    expect((await program.ended).code).toBe(0);
  });

  test('[SUR-4] [PAIN-30] so do large logs', async () => {
    const program = start('there', [20, 100_000], ['logs', 'root', '--output-format', 'json']);
    const text = await readSlowly(program);
    expect(
      text
        .slice(0, -1)
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toHaveLength(4 + 20 * 5 + 1);
    expect((await program.ended).code).toBe(0);
  });

  test('[SUR-4] a reader that goes away ends a reading command quietly', async () => {
    const program = start('there', [50, 100_000], ['logs', 'root', '--output-format', 'json']);
    await new Promise((resolve) => program.child.stdout.once('readable', resolve));
    program.child.stdout.destroy();
    expect(await program.ended).toEqual({ code: 0, signal: null, stderr: '' });
  });

  test('[SUR-2] a reader that goes away stops the run, quietly', async () => {
    const program = start('works', [50, 100_000], stream);
    await new Promise((resolve) => program.child.stdout.once('readable', resolve));
    program.child.stdout.destroy();
    const { code, stderr } = await program.ended;
    expect(code).toBe(5);
    expect(stderr).not.toMatch(/EPIPE| {4}at /u);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('[SUR-1] [SUR-2] after %s the result is still the last line, exit %d', async (signal, code) => {
    const program = start('works', [3, 100], stream);
    await new Promise((resolve) => program.child.stdout.once('readable', resolve));
    program.child.kill(signal);
    const text = await readSlowly(program);
    expect(JSON.parse(text.slice(0, -1).split('\n').at(-1) ?? '')).toMatchObject({ type: 'result', reason: 'signal' });
    expect((await program.ended).code).toBe(code);
  });
});

describe('a process that cannot go on', () => {
  test('[SUR-1] a fault that nobody expected is one sentence and exit 1', async () => {
    const { code, stderr } = await start('breaks', [0, 0], ['run', 'x']).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^errand: internal fault: [^\n]+\n$/u);
  });

  test('[SUR-1] a folder that is gone is one sentence and exit 2', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'errand-gone-'));
    const script = 'cd "$1" && rmdir "$1" && exec "$2" "$3" ends 0 0 run x';
    const child = spawn('sh', ['-c', script, 'sh', folder, process.execPath, PROGRAM], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
    expect(stdout).toEqual([]);
    expect(Buffer.concat(stderr).toString()).toBe(
      'errand: the folder that this was started in is not there any more.\n',
    );
    expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(2);
  });
});
