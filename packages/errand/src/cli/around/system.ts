import { writeSync } from 'node:fs';
import process from 'node:process';
import { systemEnvironment } from '../../app/environment.ts';
import { type EndSignal, EXIT, SIGNAL_EXITS } from '../../app/exit-codes.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import { Failure, oneLine } from './failure.ts';
import { createOutput } from './output.ts';
import type { Surroundings } from './surroundings.ts';

/** This process as a command's surroundings. */
export function systemSurroundings(): Surroundings {
  process.once('uncaughtException', endOnFault);
  return {
    environment: systemEnvironment(),
    get cwd() {
      return currentFolder();
    },
    stdin: {
      get isTerminal() {
        return process.stdin.isTTY === true;
      },
      get chunks() {
        return process.stdin;
      },
    },
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
    openService: async (settings, options) => (await import('../../app/service.ts')).openService(settings, options),
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw new Failure(EXIT.usage, 'the folder that this was started in is not there any more.');
  }
}

/** A fault that nobody expected: nothing can be relied on any more, and a stack is for those who ask for it. */
function endOnFault(error: unknown): void {
  const debug = systemEnvironment().ERRAND_DEBUG === '1' && error instanceof Error;
  writeSync(
    process.stderr.fd,
    `errand: internal fault: ${oneLine(messageOf(error))}\n${debug ? `${error.stack}\n` : ''}`,
  );
  process.exit(EXIT.failed);
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
