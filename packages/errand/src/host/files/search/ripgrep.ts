import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { messageOf } from '../../../base/errors.ts';
import { RecordSplitter } from './record-splitter.ts';
import type { Slots } from './slots.ts';

/** One run of ripgrep. */
export interface RipgrepRequest {
  readonly args: readonly string[];
  /** Folder to run in. */
  readonly folder: string;
  /** Byte that ends a record of the output. */
  readonly separator: number;
  /** Called with each record; false ends the run. */
  readonly take: (record: Buffer) => boolean;
}

export type RipgrepEnd =
  /** It came to its end, or `take` had enough, or the time was over. `dropped`: records that were too long to look at. */
  | { readonly kind: 'done' | 'enough' | 'late'; readonly dropped: number; readonly complaint: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string };

/** Runs ripgrep without a shell, with an empty environment and no input; returns when the process is gone. */
export type Ripgrep = (request: RipgrepRequest, signal: AbortSignal) => Promise<RipgrepEnd>;

const MOST_COMPLAINT = 8_000;
/** ripgrep's exit code for a pattern or a file that it could not take. */
const TROUBLE = 2;

/** `deadline`: milliseconds after which a run is killed; a pipe that poses as an ignore file would hold it for ever. */
export function createRipgrep(slots: Slots, deadline: number): Ripgrep {
  return async (request, signal) => {
    const leave = await slots.take(signal);
    if (!leave) return { kind: 'stopped' };
    try {
      const program = await programPath();
      if (typeof program !== 'string') return { kind: 'failed', message: program.missing };
      return signal.aborted ? { kind: 'stopped' } : await run(start(program, request), { request, signal, deadline });
    } catch (error) {
      return { kind: 'failed', message: `ripgrep could not be started: ${messageOf(error)}` };
    } finally {
      leave();
    }
  };
}

/** Loaded when first needed: it throws on a system for which there is no binary. */
async function programPath(): Promise<string | { readonly missing: string }> {
  try {
    const { rgPath } = await import('@vscode/ripgrep');
    return rgPath;
  } catch (error) {
    return { missing: `there is no ripgrep for this system: ${messageOf(error)}` };
  }
}

function start(program: string, { args, folder }: RipgrepRequest): ChildProcess {
  const [command, ...first] = [...diesWithParent(), program];
  return spawn(command ?? program, [...first, ...args], {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  });
}

const SETPRIV = ['/usr/bin/setpriv', '--pdeathsig', 'KILL', '--'] as const;
let wrapper: readonly string[] | undefined;

/** What a command is put behind so that the system kills it when this process is killed; nothing where there is no such means. */
function diesWithParent(): readonly string[] {
  if (wrapper === undefined) {
    const [command, ...args] = SETPRIV;
    const works = process.platform === 'linux' && spawnSync(command, [...args, '/bin/true'], { env: {} }).status === 0;
    wrapper = works ? SETPRIV : [];
  }
  return wrapper;
}

interface Watch {
  readonly request: RipgrepRequest;
  readonly signal: AbortSignal;
  readonly deadline: number;
}

function run(child: ChildProcess, { request, signal, deadline }: Watch): Promise<RipgrepEnd> {
  return new Promise((resolve) => {
    const splitter = new RecordSplitter(request.separator, request.take);
    let kind: 'done' | 'enough' | 'late' | 'stopped' = 'done';
    let complaint = '';
    const end = (reason: typeof kind): void => {
      if (kind === 'done') kind = reason;
      child.kill('SIGKILL');
    };
    const onAbort = (): void => end('stopped');
    const timer = setTimeout(() => end('late'), deadline);
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout?.on('data', (bytes: Buffer) => {
      if (kind === 'done' && !splitter.add(bytes)) end('enough');
    });
    child.stderr?.on('data', (bytes: Buffer) => {
      if (complaint.length < MOST_COMPLAINT) complaint += bytes.toString();
    });
    const settle = (outcome: RipgrepEnd): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(outcome);
    };
    child.on('error', (error) => {
      if (child.pid === undefined)
        settle({ kind: 'failed', message: `ripgrep could not be started: ${error.message}` });
    });
    child.on('close', (code) => {
      if (kind === 'stopped') settle({ kind });
      else if (kind === 'done' && code === null) settle({ kind: 'failed', message: 'ripgrep was killed from outside' });
      else settle({ kind, dropped: splitter.dropped, complaint: code === TROUBLE ? complaint : '' });
    });
  });
}
