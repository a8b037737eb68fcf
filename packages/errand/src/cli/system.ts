import process from 'node:process';
import { type EndSignal, SIGNAL_EXITS } from '../app/exit-codes.ts';
import type { Clock } from '../base/clock.ts';
import { createOutput } from './output.ts';
import type { Surroundings } from './surroundings.ts';

/** This process as a command's surroundings. */
export function systemSurroundings(): Surroundings {
  return {
    environment: process.env,
    cwd: process.cwd(),
    stdin: { isTerminal: process.stdin.isTTY === true, chunks: process.stdin },
    stdout: createOutput(process.stdout),
    stderr: createOutput(process.stderr),
    clock,
    onSignal(listener) {
      const signals = Object.keys(SIGNAL_EXITS) as EndSignal[];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.removeListener(signal, listener);
      };
    },
    exit: (code) => process.exit(code),
    openService: async (settings, options) => (await import('../app/service.ts')).openService(settings, options),
  };
}

/** Timers of a command only draw: none keeps the process alive. */
const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  timer(milliseconds, fire) {
    const timer = setTimeout(fire, milliseconds).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
