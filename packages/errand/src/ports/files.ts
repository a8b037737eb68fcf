import type { Result } from '../base/result.ts';

/** Why a file could not be had. The message says it in one sentence, with the path as it was given. */
export interface FileFailure {
  readonly code:
    | 'outside'
    | 'missing'
    | 'not_a_file'
    | 'not_a_folder'
    | 'binary'
    | 'unreadable'
    | 'bad_pattern'
    | 'stopped';
  readonly message: string;
}

export interface ReadRequest {
  readonly path: string;
  /** First and last line, counted from 1, both included; defaults: the whole file. */
  readonly from?: number;
  readonly to?: number;
  /** Most bytes of text to return. */
  readonly maxBytes: number;
  /** Characters kept of one line. */
  readonly maxLine: number;
}

export interface ReadLines {
  /** Path relative to the workspace root, `/` between folders. */
  readonly path: string;
  readonly first: number;
  readonly lines: readonly string[];
  /** Lines in the whole file; null when it was not read to its end. */
  readonly total: number | null;
  /** There is more after the last line returned. */
  readonly more: boolean;
  readonly encoding: string;
}

export interface Entry {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes; 0 for all but files. */
  readonly size: number;
}

export interface Listing {
  readonly path: string;
  readonly entries: readonly Entry[];
  /** Entries left out beyond the limit. */
  readonly more: number;
}

export interface SearchRequest {
  /** A regular expression as ripgrep reads it, or a fixed text. */
  readonly pattern: string;
  readonly fixed?: boolean;
  readonly ignoreCase?: boolean;
  readonly wholeWord?: boolean;
  /** Folder or file, default the root. */
  readonly path?: string;
  /** Only files whose path fits, e.g. `*.ts`. */
  readonly glob?: string;
  readonly maxMatches: number;
  readonly maxLine: number;
}

export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

export interface SearchMatches {
  readonly matches: readonly Match[];
  /** The search stopped at the limit; there may be more. */
  readonly more: boolean;
}

/**
 * The files of one workspace. Paths are taken literally, relative ones from the root; every real path
 * (of the deepest existing ancestor) must lie inside. Ignored files (.gitignore) and `.git` are left out
 * of searches and finds. Never throws for what is on disk; never hangs on a pipe or a device.
 */
export interface Workspace {
  readonly root: string;
  read(request: ReadRequest, signal: AbortSignal): Promise<Result<ReadLines, FileFailure>>;
  list(
    request: { readonly path: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Result<Listing, FileFailure>>;
  search(request: SearchRequest, signal: AbortSignal): Promise<Result<SearchMatches, FileFailure>>;
  find(
    request: { readonly glob: string; readonly path?: string; readonly limit: number },
    signal: AbortSignal,
  ): Promise<Result<Listing, FileFailure>>;
}

export interface Files {
  /** The real path of an existing folder, or why not. `from`: where relative paths start. */
  folder(path: string, from: string): Promise<Result<string, FileFailure>>;
  /** A view of the files below `root` (a real path). */
  workspace(root: string): Workspace;
  /** AGENTS.md and CLAUDE.md from the top of the repository (or `cwd`) down to `cwd`, bounded, without doubles. */
  instructions(cwd: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
}
