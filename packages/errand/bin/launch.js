// Read by any Node from 12 on: no newer syntax here.
import { spawn } from 'child_process';
import { constants } from 'os';

/** Set for a program that runs in the launcher's place; it ends when the launcher is killed. */
export const LAUNCHED = 'ERRAND_LAUNCHED';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGWINCH'];

/** A terminal, npm and a supervisor may each pass on one and the same Ctrl-C; within this time, in ms, it is one. */
const SAME_SIGNAL = 200;

/**
 * Runs a program in this process's place: same streams, same ending, and every signal exactly once.
 * It gets a process group of its own, since a signal to ours would otherwise reach it twice: directly and passed on.
 * Resolves to the exit code, 128 + n after death by signal n.
 */
export function launch(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      detached: true,
      env: Object.assign({}, process.env, { [LAUNCHED]: '1' }),
    });
    const last = new Map();
    const forward = (signal) => {
      const now = Date.now();
      if (signal !== 'SIGWINCH' && now - (last.get(signal) || 0) < SAME_SIGNAL) return;
      last.set(signal, now);
      child.kill(signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    const settle = (finish, value) => {
      for (const signal of FORWARDED) process.removeListener(signal, forward);
      finish(value);
    };
    child.once('error', (error) => settle(reject, error));
    child.once('exit', (code, signal) => settle(resolve, code === null ? 128 + constants.signals[signal] : code));
  });
}

/** In a launched program: dies as its launcher died, also by SIGKILL, which nobody can pass on. */
export function followLauncher() {
  if (!process.env[LAUNCHED]) return;
  delete process.env[LAUNCHED];
  if (!process.channel) return;
  const die = () => process.kill(process.pid, 'SIGKILL');
  if (!process.connected) die();
  process.once('disconnect', die);
  process.channel.unref();
}
