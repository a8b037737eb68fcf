import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { ROOT } from '../common/root.mjs';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program from the repository's root and waits for its end, whatever signals arrive meanwhile (they are passed on).
 * `capture` collects stdout and stderr together in `output` instead of showing them.
 * Resolves to the exit code, 128 + n after death by signal n.
 */
export function run(command, args, { env = process.env, capture = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = capture ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'];
    const child = spawn(command, args, { cwd: ROOT, env, stdio });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const forward = (signal) => child.kill(signal);
    for (const signal of FORWARDED) process.on(signal, forward);
    const settle = () => {
      for (const signal of FORWARDED) process.removeListener(signal, forward);
    };
    child.once('error', (error) => {
      settle();
      reject(error);
    });
    child.once('close', (code, signal) => {
      settle();
      resolve({ code: code ?? 128 + constants.signals[signal], output: Buffer.concat(chunks).toString('utf8') });
    });
  });
}
