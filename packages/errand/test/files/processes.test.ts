import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, processStart } from '../../src/host/processes.ts';
import { scratchFolder } from './scratch.ts';

/** A process that waits for its input to end. */
async function waiting(program = 'cat'): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'ignore'] });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill('SIGKILL'));
  return child as ChildProcess & { readonly pid: number };
}

describe('processes', () => {
  it('[PAIN-10] a running process is alive, and dead when it has ended', async () => {
    const child = await waiting();
    const start = processStart(child.pid);
    expect(start).not.toBeNull();
    expect(processStart(child.pid)).toBe(start);
    expect(isAlive(child.pid, start)).toBe('alive');
    expect(isAlive(child.pid, null)).toBe('unknown');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(isAlive(child.pid, start)).toBe('dead');
    expect(isAlive(child.pid, null)).toBe('dead');
    expect(processStart(child.pid)).toBeNull();
  });

  it('[PAIN-10] another process with the same number is not the one that was meant', async () => {
    const child = await waiting();
    const start = processStart(child.pid) ?? '';
    expect(isAlive(child.pid, `${start}1`)).toBe('dead');
    expect(isAlive(child.pid, processStart(process.pid))).toBe('dead');
  });

  it('no process has a number that is none', () => {
    for (const pid of [0, -1, 1.5, Number.NaN, 2 ** 40]) {
      expect(processStart(pid)).toBeNull();
      expect(isAlive(pid, 'x')).toBe('dead');
    }
  });

  it.runIf(process.platform === 'linux')('a name with parentheses and spaces does not shift the fields', async () => {
    const program = join(scratchFolder(), 'a) S 1 (b c');
    copyFileSync('/bin/cat', program);
    chmodSync(program, 0o755);
    const child = await waiting(program);
    const ticks = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[19];
    expect(processStart(child.pid)).toMatch(new RegExp(`^[0-9a-f-]{36}/${ticks}$`));
    expect(isAlive(child.pid, processStart(child.pid))).toBe('alive');
  });
});
