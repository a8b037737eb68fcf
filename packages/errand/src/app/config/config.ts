import { isAbsolute } from 'node:path';
import { isJsonObject } from '../../base/json.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { OPTIONS, type OptionValue, parseOption } from '../options.ts';
import { type ConfigFile, placeOf } from './config-file.ts';
import { type ConfigProblem, fileProblem } from './config-problem.ts';
import { type ConnectionEntry, readConnection } from './connection-entry.ts';

/** A configuration file, understood to its last key: nothing is parsed and forgotten. */
export interface Config {
  readonly file: ConfigFile;
  /** By option key, e.g. `limits.helper_wall`. */
  readonly values: ReadonlyMap<string, OptionValue>;
  readonly connections: ReadonlyMap<string, ConnectionEntry>;
  /** Folders of projects that may connect to other machines. */
  readonly trustedProjects: readonly string[];
}

const FILE_OPTIONS = OPTIONS.filter((option) => option.inFile);
const TOP_KEYS = [
  ...FILE_OPTIONS.map((option) => option.key).filter((key) => !key.includes('.')),
  'trusted_projects',
  '[connections.<name>]',
  '[limits]',
  '[retention]',
];
/** Tables of options, with their keys. */
const SECTIONS = new Map(
  ['limits', 'retention'].map((section) => {
    const start = `${section}.`;
    return [section, FILE_OPTIONS.flatMap(({ key }) => (key.startsWith(start) ? [key.slice(start.length)] : []))];
  }),
);
/** Parts of the contract that cannot be honoured yet. */
const LATER: Readonly<Record<string, string>> = {
  roles: 'models per role',
  providers: 'limits per provider',
  sandbox: 'the sandbox',
  helpers: 'commands of helpers',
  mcp: 'MCP servers',
  hooks: 'hooks',
};

/** Understands a file; the first thing that is wrong is refused by name, with its place. */
export function readConfig(file: ConfigFile): Result<Config, ConfigProblem> {
  const reader = new Reader(file);
  for (const [key, value] of Object.entries(file.data)) {
    const problem = reader.top(key, value);
    if (problem) return fail(problem);
  }
  return succeed(reader);
}

class Reader implements Config {
  readonly file: ConfigFile;
  readonly values = new Map<string, OptionValue>();
  readonly connections = new Map<string, ConnectionEntry>();
  trustedProjects: readonly string[] = [];

  constructor(file: ConfigFile) {
    this.file = file;
  }

  top(key: string, value: unknown): ConfigProblem | null {
    const accepted = SECTIONS.get(key);
    if (accepted) {
      return this.#each([key], value, (name, entry) =>
        accepted.includes(name) ? this.#option([key, name], entry) : this.#unknown([key, name], accepted),
      );
    }
    if (key === 'connections')
      return this.#each(['connections'], value, (name, entry) => this.#connection(name, entry));
    if (key === 'trusted_projects') return this.#trusted(value);
    if (Object.hasOwn(LATER, key)) {
      return this.#problem([key], `"${key}" (${LATER[key]}) is not available in this version of Errand: take it out.`);
    }
    if (key.includes('.') || !TOP_KEYS.includes(key)) return this.#unknown([key], TOP_KEYS);
    return this.#option([key], value);
  }

  #option(path: readonly string[], value: unknown): ConfigProblem | null {
    const key = path.join('.');
    const option = FILE_OPTIONS.find((known) => known.key === key);
    if (!option) return this.#unknown(path, TOP_KEYS);
    const read = parseOption(option, value, key);
    if (!read.ok) return this.#problem(path, read.error);
    this.values.set(key, read.value);
    return null;
  }

  #connection(name: string, value: unknown): ConfigProblem | null {
    const path = ['connections', name];
    if (!isJsonObject(value)) return this.#problem(path, `[connections.${name}] must be a table.`);
    const read = readConnection(name, value);
    if (!read.ok) return this.#problem(read.error.key === null ? path : [...path, read.error.key], read.error.message);
    this.connections.set(name, read.value);
    return null;
  }

  #trusted(value: unknown): ConfigProblem | null {
    if (!Array.isArray(value) || !value.every((folder) => typeof folder === 'string' && isAbsolute(folder))) {
      return this.#problem(['trusted_projects'], 'trusted_projects takes a list of absolute folders.');
    }
    this.trustedProjects = value as string[];
    return null;
  }

  #each(
    path: readonly string[],
    table: unknown,
    take: (name: string, value: unknown) => ConfigProblem | null,
  ): ConfigProblem | null {
    if (!isJsonObject(table)) return this.#problem(path, `"${path.join('.')}" must be a table.`);
    for (const [name, value] of Object.entries(table)) {
      const problem = take(name, value);
      if (problem) return problem;
    }
    return null;
  }

  #unknown(path: readonly string[], accepted: readonly string[]): ConfigProblem {
    return this.#problem(path, `there is no setting "${path.join('.')}"; accepted here: ${accepted.join(', ')}.`);
  }

  #problem(path: readonly string[], message: string): ConfigProblem {
    return fileProblem(placeOf(this.file, path), message);
  }
}
