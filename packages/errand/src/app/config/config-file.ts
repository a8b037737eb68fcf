import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { isJsonObject } from '../../base/json.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { type ConfigProblem, fileProblem } from './config-problem.ts';

/** A configuration file as it was read. */
export interface ConfigFile {
  readonly path: string;
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Folder and file name of a project's configuration, from the project's folder. */
export const PROJECT_FILE = join('.errand', 'config.toml');

/** Bytes of a configuration file. */
const LARGEST = 1_000_000;

/** Reads a TOML file; null where there is none. Broken ones are refused with line and column. */
export function readConfigFile(path: string): Result<ConfigFile | null, ConfigProblem> {
  let bytes: Buffer;
  try {
    const found = statSync(path);
    // A checkout may hold a link to a device, which would be read for ever.
    if (!found.isFile() && !found.isDirectory())
      return fail(fileProblem({ file: path }, 'the configuration is no file.'));
    if (found.size > LARGEST)
      return fail(fileProblem({ file: path }, `the configuration is larger than ${LARGEST} bytes.`));
    bytes = readFileSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return succeed(null);
    return fail(fileProblem({ file: path }, `the configuration cannot be read: ${READ_ERRORS[code] ?? code}.`));
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const place = placeOfBadByte(bytes);
    return fail(fileProblem({ file: path, ...place }, 'the configuration is not UTF-8 text.'));
  }
  try {
    const data: unknown = parse(text);
    return succeed({ path, text, data: isJsonObject(data) ? data : {} });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const what = error.message
      .split('\n')[0]
      ?.replace(/^Invalid TOML document:\s*/u, '')
      .replace(/[.\s]+$/u, '');
    const place = { file: path, line: error.line, column: error.column };
    return fail(fileProblem(place, `the configuration is not valid TOML: ${what}.`));
  }
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a folder',
};

function placeOfBadByte(bytes: Buffer): { line: number; column: number } {
  const before = bytes.toString('utf8').split('\ufffd')[0] ?? '';
  const lines = before.split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The folder whose `.errand/config.toml` applies: the nearest at or above `cwd`, up to the top of the repository. */
export function findProject(cwd: string): string | null {
  const top = repositoryTop(cwd);
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, PROJECT_FILE))) return folder;
    // Above a repository, or outside of any, other people's folders begin.
    if (folder === (top ?? cwd) || folder === dirname(folder)) return null;
  }
}

function repositoryTop(cwd: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** Whether both name the same existing file or folder. */
export function isSameFile(a: string, b: string): boolean {
  try {
    return realpathSync(a) === realpathSync(b);
  } catch {
    return false;
  }
}

/** Where a key stands in a file, counted from 1; only the file where the text does not show it plainly. */
export function placeOf(file: ConfigFile, path: readonly string[]): { file: string; line?: number; column?: number } {
  const last = path.length - 1;
  let table: readonly string[] = [];
  const lines = file.text.split('\n');
  for (const [index, line] of lines.entries()) {
    const header = /^\s*\[\[?\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$/u.exec(line)?.[1];
    const key = header === undefined ? /^\s*([A-Za-z0-9_."'-]+?)\s*=/u.exec(line)?.[1] : undefined;
    if (header !== undefined) table = split(header);
    const full = header !== undefined ? table : key !== undefined ? [...table, ...split(key)] : [];
    if (full.length > last && path.every((part, at) => full[at] === part)) {
      return { file: file.path, line: index + 1, column: line.search(/\S/u) + 1 };
    }
  }
  return { file: file.path };
}

function split(dotted: string): string[] {
  return dotted.split('.').map((part) => part.trim().replace(/^(["'])(.*)\1$/u, '$2'));
}
