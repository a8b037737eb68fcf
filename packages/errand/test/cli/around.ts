import { Writable } from 'node:stream';
import type { EndSignal } from '../../src/app/exit-codes.ts';
import type { StoreCare } from '../../src/app/store-care.ts';
import type { Output } from '../../src/cli/around/output.ts';
import type { Surroundings } from '../../src/cli/around/surroundings.ts';
import { main } from '../../src/cli/main.ts';
import { createTestClock, type TestClock } from '../../src/testing/test-clock.ts';
import { START } from '../terminal/story.ts';
import { FakeRuntime } from './fake-runtime.ts';

export interface AroundOptions {
  readonly runtime?: FakeRuntime;
  readonly environment?: Readonly<Record<string, string>>;
  /** What stdin holds; left out: a terminal. */
  readonly stdin?: string | Uint8Array;
  /** stderr is a terminal. */
  readonly terminal?: boolean;
  /** stdout is one. */
  readonly stdoutTerminal?: boolean;
  /** Nothing can be written to stdout. */
  readonly stdoutFault?: Error;
  readonly cwd?: string;
  readonly openFault?: Error;
  readonly store?: StoreCare;
}

/** A command line in a test: what it was given, and what came of it. */
export interface CommandLine {
  readonly runtime: FakeRuntime;
  readonly clock: TestClock;
  /** Modes in which an instance was opened. */
  readonly opened: string[];
  /** Folders that they were opened for. */
  readonly folders: string[];
  readonly exited: number[];
  run(...argv: string[]): Promise<number>;
  signal(name: EndSignal): void;
  stdout(): string;
  stderr(): string;
  /** The reader of stdout goes away. */
  hangUp(): void;
}

/** A store that is well, and not there. */
export const SOUND: StoreCare = {
  check: async () => ({ problems: [], file: null, sqlite: '3.50.0' }),
  backup: async () => {},
};

interface Capture extends Output {
  text(): string;
  hangUp(): void;
}

function createCapture(isTerminal: boolean, fault: Error | null = null): Capture {
  let text = '';
  let closed = false;
  const listeners: (() => void)[] = [];
  const write = (more: string) => {
    if (!closed) text += more;
  };
  const sink = new Writable({
    write(chunk, _encoding, done) {
      write(String(chunk));
      done();
    },
  });
  return {
    isTerminal,
    size: () => ({ width: 100, height: 24 }),
    write,
    flush: async () => {},
    fault,
    get closed() {
      return closed;
    },
    onClosed(listener) {
      if (closed) listener();
      else listeners.push(listener);
    },
    stream: Object.assign(sink, { isTTY: isTerminal, columns: 100, rows: 24 }) as unknown as NodeJS.WriteStream,
    text: () => text,
    hangUp() {
      closed = true;
      for (const listener of listeners) listener();
    },
  };
}

export function createCommandLine(options: AroundOptions = {}): CommandLine {
  const runtime = options.runtime ?? new FakeRuntime();
  const store = options.store ?? SOUND;
  const clock = createTestClock(START);
  const stdout = createCapture(options.stdoutTerminal ?? false, options.stdoutFault);
  const stderr = createCapture(options.terminal ?? false);
  const opened: string[] = [];
  const folders: string[] = [];
  const exited: number[] = [];
  const listeners = new Set<(signal: EndSignal) => void>();
  const around: Surroundings = {
    environment: { ERRAND_HOME: '/nonexistent/errand-home', ...options.environment },
    cwd: options.cwd ?? import.meta.dirname,
    stdin: { isTerminal: options.stdin === undefined, chunks: chunksOf(options.stdin ?? '') },
    stdout,
    stderr,
    clock,
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => exited.push(code),
    openService: async (settings, { mode }) => {
      if (options.openFault) throw options.openFault;
      opened.push(mode);
      folders.push(settings.cwd);
      return { runtime, store, close: () => runtime.close() };
    },
  };
  return {
    runtime,
    clock,
    opened,
    folders,
    exited,
    run: (...argv) => main(argv, around),
    signal(name) {
      for (const listener of listeners) listener(name);
    },
    stdout: stdout.text,
    stderr: stderr.text,
    hangUp: stdout.hangUp,
  };
}

/** Lets everything that is under way go on until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

async function* chunksOf(content: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536);
}
