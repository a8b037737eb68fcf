import { hostname } from 'node:os';
import type { Processes } from '../ports/processes.ts';
import { isAlive, processStart } from './processes.ts';

/** The processes of this machine. */
export function createProcesses(): Processes {
  const host = hostname();
  return {
    self: () => ({ pid: process.pid, process_start: processStart(process.pid), host }),
    // Of another machine's processes nothing can be proven from here.
    ownerState: (boot) => (boot.host === host ? isAlive(boot.pid, boot.process_start) : 'unknown'),
  };
}
