import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const BINARY = fileURLToPath(new URL('../../bin/errand.js', import.meta.url));

export interface Place {
  /** ERRAND_HOME of the processes started here; not made yet. */
  readonly home: string;
  /** The workspace, with a few files. */
  readonly work: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** A folder for one test, with nothing of this machine's configuration; removed afterwards. */
export function createPlace(environment: Readonly<Record<string, string>> = {}): Place {
  const base = mkdtempSync(join(tmpdir(), 'errand-e2e-'));
  const work = join(base, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'alpha.ts'), 'export function openGate(name: string) {\n  return name;\n}\n');
  writeFileSync(join(work, 'beta.ts'), "import { openGate } from './alpha.ts';\n\nopenGate('north');\n");
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const home = join(base, 'home');
  return {
    home,
    work,
    environment: { PATH: process.env['PATH'] ?? '', ERRAND_HOME: home, HOME: base, ...environment },
  };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Settles once the text has been written to stderr or stdout. */
  saw(text: string): Promise<void>;
}

/** Starts the real binary. It is killed when the test ends, should it still be there. */
export function startErrand(place: Place, args: readonly string[], options: { readonly input?: string } = {}): Started {
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd: place.work,
    env: place.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void (child.exitCode === null && child.kill('SIGKILL')));
  let stdout = '';
  let stderr = '';
  const lookers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    for (const look of lookers) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    for (const look of lookers) look();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
  );
  return {
    process: child,
    ended,
    saw: (text) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!(stdout + stderr).includes(text)) return;
          lookers.delete(look);
          resolve();
        };
        lookers.add(look);
        look();
        void ended.then((end) => reject(new Error(`ended without "${text}": ${JSON.stringify(end)}`)));
      }),
  };
}

export function errand(
  place: Place,
  args: readonly string[],
  options: { readonly input?: string } = {},
): Promise<Ended> {
  return startErrand(place, args, options).ended;
}
