import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface Child {
  readonly process: ChildProcess;
  /** What it says, line by line, to the end. */
  readonly lines: AsyncIterableIterator<string>;
  /** Its exit code or signal, once it has ended and all it said was read. */
  readonly ended: Promise<number | string>;
}

/** Starts a program of the folder `children`; it ends with the test at the latest. */
export function startChild(name: string, ...args: readonly string[]): Child {
  const path = fileURLToPath(new URL(`children/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  return { process: child, lines, ended };
}

/** Reads to the end, and fails when it ended badly. */
export async function saidBy(child: Child): Promise<readonly string[]> {
  const said: string[] = [];
  for await (const line of child.lines) said.push(line);
  const end = await child.ended;
  if (end !== 0) throw new Error(`the child ended with ${end}`);
  return said;
}
