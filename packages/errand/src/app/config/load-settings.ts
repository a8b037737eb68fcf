import { join, resolve } from 'node:path';
import { fail, type Result, succeed } from '../../base/result.ts';
import type { Environment } from '../environment.ts';
import { OPTIONS, parseOption } from '../options.ts';
import { type Paths, pathsOf } from '../paths.ts';
import { chooseModel } from './choose-model.ts';
import { type Config, readConfig } from './config.ts';
import { findProject, isSameFile, PROJECT_FILE, placeOf, readConfigFile } from './config-file.ts';
import { type ConfigProblem, fileProblem, unusable, wrongFlag } from './config-problem.ts';
import { connectionOf } from './connection-entry.ts';
import {
  asConnection,
  badBaseUrl,
  type ConfiguredConnection,
  connectionsFromEnvironment,
  OFFLINE,
} from './connections.ts';
import { clashOfCounts, clashOfFiles, limitsFrom, type Values } from './limits.ts';
import { clashOfConfigured, configuredRetention } from './retention.ts';
import type { Setting, Settings } from './settings.ts';
import { checkProject, remedyFor } from './trust.ts';

/** Flags as they were written, by flag: `{'--wall': '5m', '--quiet': true}`. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export interface SettingsQuestion {
  readonly environment: Environment;
  /** The folder that the process was started in; `--cwd` is resolved from it. */
  readonly cwd: string;
  readonly flags: Flags;
}

/** Reads flags, environment and the two configuration files. The first thing that cannot be taken is refused. */
export function loadSettings(question: SettingsQuestion): Result<Settings, ConfigProblem> {
  const given = readGiven(question);
  if (!given.ok) return given;
  const cwd = resolve(question.cwd, String(given.value.get('cwd')?.value ?? '.'));
  const paths = pathsOf(question.environment, question.cwd);
  const files = readFiles({ cwd, paths, environment: question.environment });
  if (!files.ok) return files;
  const { user, project } = files.value;
  const set = new Map([...fromFile(user, 'user'), ...fromFile(project, 'project')]);
  const problem = problemOfFiles(set, [project, user]);
  if (problem) return fail(problem);
  for (const [key, setting] of given.value) set.set(key, setting);
  const limits = limitsOf(set);
  if (!limits.ok) return limits;
  const connections = connectionsOf(files.value, question.environment);
  const effort = set.get('effort')?.value;
  const { remedy } = files.value;
  return succeed({
    paths,
    cwd,
    set,
    limits: limits.value,
    retention: configuredRetention(valuesOf(set)),
    model: chooseModel({
      setting: set.get('model'),
      connections: connections.all,
      environment: question.environment,
      remedy,
    }),
    effort: effort === undefined ? null : String(effort),
    connections: connections.all.map((connection) => asConnection(connection, limits.value.call_timeout_ms)),
    configured: connections.all,
    shadowed: connections.shadowed,
    files: { user: { path: paths.config, found: user !== null }, project: project?.file.path ?? null },
  });
}

/** What flags and environment say. A wrong flag is a wrong command line; a wrong variable is configuration. */
function readGiven({ environment, flags }: SettingsQuestion): Result<Map<string, Setting>, ConfigProblem> {
  const given = new Map<string, Setting>();
  for (const option of OPTIONS) {
    const { flag, environment: variable } = option;
    const text = flag ? flags[flag] : undefined;
    if (flag && text !== undefined) {
      const read = parseOption(option, text, flag);
      if (!read.ok) return fail(wrongFlag(read.error));
      given.set(option.key, { value: read.value, source: { from: 'flag', name: flag } });
    } else if (variable && environment[variable]) {
      const read = parseOption(option, environment[variable], variable);
      if (!read.ok) return fail(unusable(read.error));
      given.set(option.key, { value: read.value, source: { from: 'environment', name: variable } });
    }
  }
  return succeed(given);
}

interface Files {
  readonly user: Config | null;
  readonly project: Config | null;
  /** How to trust the project; null: it is trusted, or there is none. */
  readonly remedy: string | null;
}

function readFiles(question: {
  readonly cwd: string;
  readonly paths: Paths;
  readonly environment: Environment;
}): Result<Files, ConfigProblem> {
  const userFile = question.paths.config;
  const user = understand(userFile);
  if (!user.ok) return user;
  const environmentConnections = connectionsFromEnvironment(question.environment);
  for (const { name, baseUrl } of environmentConnections) {
    const bad = baseUrl === null ? null : badBaseUrl(baseUrl);
    if (bad) return fail(unusable(`the base URL that the environment gives the connection "${name}" ${bad}.`));
  }
  const noProject = { user: user.value, project: null, remedy: null };
  const folder = findProject(question.cwd);
  const projectFile = folder === null ? null : join(folder, PROJECT_FILE);
  if (folder === null || projectFile === null || isSameFile(projectFile, userFile)) {
    return succeed(noProject);
  }
  const project = understand(projectFile);
  if (!project.ok || project.value === null) return project.ok ? succeed(noProject) : project;
  const environmentNames = environmentConnections.map(({ name }) => name);
  const trust = { folder, project: project.value, user: user.value, userFile, environmentNames };
  const distrust = checkProject(trust);
  return distrust ? fail(distrust) : succeed({ user: trust.user, project: trust.project, remedy: remedyFor(trust) });
}

function understand(path: string): Result<Config | null, ConfigProblem> {
  const file = readConfigFile(path);
  if (!file.ok || file.value === null) return file.ok ? succeed(null) : file;
  return readConfig(file.value);
}

function fromFile(config: Config | null, from: 'user' | 'project'): [string, Setting][] {
  if (!config) return [];
  return [...config.values].map(([key, value]) => [key, { value, source: { from, name: config.file.path } }]);
}

/** Settings of files that contradict each other, shown in the first of `configs` that holds one of them. */
function problemOfFiles(set: ReadonlyMap<string, Setting>, configs: readonly (Config | null)[]): ConfigProblem | null {
  const values = valuesOf(set);
  const clash = clashOfFiles(values) ?? clashOfConfigured(values);
  if (!clash) return null;
  for (const config of configs) {
    const key = clash.keys.find((name) => config?.values.has(name));
    if (config && key) return fileProblem(placeOf(config.file, key.split('.')), clash.message);
  }
  return unusable(clash.message);
}

/** Bounds with flags and environment, which may narrow what a file says without being at odds with the rest of it. */
function limitsOf(set: ReadonlyMap<string, Setting>): Result<Settings['limits'], ConfigProblem> {
  const limits = limitsFrom(valuesOf(set));
  const narrowed = { ...limits, launch_concurrency: Math.min(limits.launch_concurrency, limits.max_concurrent) };
  const clash = clashOfCounts(narrowed);
  if (!clash) return succeed(narrowed);
  const source = set.get('limits.max_concurrent')?.source;
  const name = source && source.from !== 'default' ? ` (${source.name})` : '';
  return fail(source?.from === 'flag' ? wrongFlag(`${clash.message}${name}`) : unusable(`${clash.message}${name}`));
}

function valuesOf(set: ReadonlyMap<string, Setting>): Values {
  return new Map([...set].map(([key, setting]) => [key, setting.value]));
}

function connectionsOf(
  { user, project }: Omit<Files, 'remedy'>,
  environment: Environment,
): { readonly all: ConfiguredConnection[]; readonly shadowed: string[] } {
  const byName = new Map<string, ConfiguredConnection>([[OFFLINE.name, OFFLINE]]);
  const made = connectionsFromEnvironment(environment);
  for (const connection of made) byName.set(connection.name, connection);
  for (const [config, from] of [
    [user, 'user'],
    [project, 'project'],
  ] as const) {
    for (const [name, entry] of config?.connections ?? [])
      byName.set(name, connectionOf(name, entry, { from, environment }));
  }
  const shadowed = made.filter(({ name }) => byName.get(name)?.from !== 'environment').map(({ name }) => name);
  return { all: [...byName.values()], shadowed };
}
