import { realpathSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type Result, succeed } from '../../base/result.ts';
import type { FileFailure, Files, Workspace } from '../../ports/files.ts';
import { under } from './contain.ts';
import { codeOf, failure, shown } from './failure.ts';
import type { Ground } from './ground.ts';
import { createHardLinks } from './hard-links.ts';
import { readInstructions } from './instructions.ts';
import { listFolder } from './list-folder.ts';
import type { Pin } from './pinned.ts';
import { readLines } from './read-lines.ts';
import { findFiles } from './search/find-files.ts';
import { createRipgrep } from './search/ripgrep.ts';
import { searchFiles } from './search/search-files.ts';
import { createSlots } from './search/slots.ts';
import { systemPin } from './system-pin.ts';

export interface FilesOptions {
  /** Default: what suits the system. */
  readonly pin?: Pin;
  /** Milliseconds that one search or find may take. */
  readonly searchDeadline?: number;
  /** Searches and finds that run at once; others wait. */
  readonly searches?: number;
}

const SEARCH_DEADLINE = 30_000;

/** The files of this machine. */
export function createFiles(options: FilesOptions = {}): Files {
  const pin = options.pin ?? systemPin();
  const slots = createSlots(options.searches ?? availableParallelism() * 2);
  const shared = {
    pin,
    hardLinks: createHardLinks(),
    ripgrep: createRipgrep(slots, options.searchDeadline ?? SEARCH_DEADLINE),
  };
  return {
    folder: async (path, from) => realFolder(path, from),
    workspace: (root) => createWorkspace({ ...shared, root: root.replace(/(?<=.)\/+$/u, '') }),
    instructions: async (cwd) => readInstructions(pin, cwd),
  };
}

function createWorkspace(ground: Ground): Workspace {
  return {
    root: ground.root,
    read: (request, signal) => readLines(ground, request, signal),
    list: (request, signal) => listFolder(ground, request, signal),
    search: (request, signal) => searchFiles(ground, request, signal),
    find: (request, signal) => findFiles(ground, request, signal),
  };
}

function realFolder(path: string, from: string): Result<string, FileFailure> {
  if (path.includes('\0')) return failure('missing', `${shown(path)} holds a NUL, which no path can.`);
  try {
    const real = realpathSync.native(under(from, path));
    return statSync(real).isDirectory() ? succeed(real) : failure('not_a_folder', `${shown(path)} is not a folder.`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return failure('missing', `There is no folder ${shown(path)}.`);
    return failure('unreadable', `The folder ${shown(path)} cannot be used (${code ?? 'unknown error'}).`);
  }
}
