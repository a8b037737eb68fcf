import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Processes } from '../ports/processes.ts';
import { isAlive, processStart } from './processes.ts';

/** The processes of this machine. */
export function createProcesses(): Processes {
  const host = `${hostname()}${pidNamespace()}`;
  return {
    self: () => ({ pid: process.pid, process_start: processStart(process.pid), host }),
    // Of another machine's processes nothing can be proven from here.
    ownerState: (boot) => (boot.host === host ? isAlive(boot.pid, boot.process_start) : 'unknown'),
  };
}

/** Process ids mean something within their namespace alone: containers may share a host's name and a store. */
function pidNamespace(): string {
  try {
    return ` ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}
