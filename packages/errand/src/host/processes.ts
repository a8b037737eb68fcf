import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Fields of /proc/<pid>/stat, counted from the one behind the name of the program. */
const STATE = 0;
const START = 19;

/**
 * When a process of this machine was started, in words that no other process has: a process id is used again, and so
 * is a time since boot. Null when it is gone or cannot be told.
 */
export function processStart(pid: number): string | null {
  if (!isProcessId(pid)) return null;
  return process.platform === 'linux' ? (linuxStat(pid)?.start ?? null) : psStart(pid);
}

/**
 * Whether the process `pid` that was started at `start` (of `processStart`) still runs. Another process with its
 * number, and one that has ended and was not yet collected, mean dead.
 */
export function isAlive(pid: number, start: string | null): 'alive' | 'dead' | 'unknown' {
  if (!exists(pid)) return 'dead';
  const stat = process.platform === 'linux' ? linuxStat(pid) : { start: psStart(pid), ended: false };
  if (stat?.ended) return 'dead';
  if (start === null || !stat || stat.start === null) return exists(pid) ? 'unknown' : 'dead';
  return stat.start === start ? 'alive' : 'dead';
}

/** 0 and less would mean groups of processes. */
function isProcessId(pid: number): boolean {
  return Number.isInteger(pid) && pid > 0 && pid < 2 ** 31;
}

/** A signal of number 0 is only checked, not sent. */
function exists(pid: number): boolean {
  if (!isProcessId(pid)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function linuxStat(pid: number): { readonly start: string | null; readonly ended: boolean } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold any character, parentheses too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields[START];
    const boot = bootOfSystem();
    const start = ticks && /^\d+$/u.test(ticks) && boot ? `${boot}/${ticks}` : null;
    return { start, ended: fields[STATE] === 'Z' || fields[STATE] === 'X' };
  } catch {
    return null;
  }
}

let knownBoot: string | undefined;

function bootOfSystem(): string | undefined {
  try {
    knownBoot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    // Unknown, and so is every start.
  }
  return knownBoot;
}

function psStart(pid: number): string | null {
  try {
    const args = ['-o', 'lstart=', '-p', String(pid)];
    const start = execFileSync('/bin/ps', args, { encoding: 'utf8', env: { LC_ALL: 'C', TZ: 'UTC' }, stdio: 'pipe' });
    return start.trim() || null;
  } catch {
    return null;
  }
}
