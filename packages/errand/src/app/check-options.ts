import { isAbsolute } from 'node:path';
import { CodedError } from '../base/errors.ts';
import { DEFAULT_LIMITS, type InstanceLimits } from '../domain/run/limits.ts';
import { CONNECTION_KINDS, type Connection } from '../ports/model.ts';
import type { StartRequest } from '../ports/runtime.ts';
import type { ConnectionOptions, ErrandOptions } from './errand-options.ts';
import { clashOfRetention, RETENTION_BOUNDS, type Retention, retentionFrom } from './retention.ts';

const OPTIONS = [
  'folder',
  'durability',
  'journal',
  'connections',
  'models',
  'limits',
  'retention',
  'tools',
  'clock',
] as const satisfies (keyof ErrandOptions)[];
const REQUEST = [
  'task',
  'title',
  'model',
  'askedModel',
  'cwd',
  'effort',
  'sessionId',
  'limits',
  'helperLimits',
  'maxPerTurn',
] as const satisfies (keyof StartRequest)[];
/** Least and most of the limits that have an edge of their own; every other is a whole number from 0. */
const EDGES: Partial<Readonly<Record<keyof InstanceLimits, readonly [number, number]>>> = {
  max_concurrent: [1, 10_000],
  launch_concurrency: [1, 10_000],
  max_admitted: [1, Number.MAX_SAFE_INTEGER],
  max_depth: [0, 8],
  helper_steps: [1, Number.MAX_SAFE_INTEGER],
  root_steps: [1, Number.MAX_SAFE_INTEGER],
  helper_wall_ms: [1, Number.MAX_SAFE_INTEGER],
  call_timeout_ms: [1, 3_600_000],
  tool_timeout_ms: [1, Number.MAX_SAFE_INTEGER],
  stream_idle_timeout_ms: [1, Number.MAX_SAFE_INTEGER],
  heartbeat_ms: [1, 3_600_000],
};

/** Refuses by name what a program without types may have got wrong. Throws CodedError('options'). */
export function checkOptions(options: ErrandOptions): void {
  onlyKnown(options, OPTIONS, 'createErrand');
  const { folder, journal, durability, connections, models } = options;
  if (journal && folder) wrong('Give "journal" or "folder", not both.');
  if (models && connections) wrong('Give "models" or "connections", not both.');
  if (durability && !folder) wrong('"durability" needs "folder": nothing else is on disk.');
  if (durability && durability !== 'normal' && durability !== 'full') wrong('"durability" is "normal" or "full".');
  if (folder !== undefined && !(typeof folder === 'string' && isAbsolute(folder)))
    wrong('"folder" must be an absolute path.');
}

/** The limits of an instance, with the defaults for what is left out. */
export function limitsFrom(given: Partial<InstanceLimits> | undefined): InstanceLimits {
  const limits: Record<string, number | null> = { ...DEFAULT_LIMITS };
  for (const [key, value] of Object.entries(given ?? {})) {
    if (!Object.hasOwn(DEFAULT_LIMITS, key))
      wrong(`"limits" has no "${key}"; there are: ${Object.keys(DEFAULT_LIMITS).join(', ')}.`);
    if (value === undefined) continue;
    const [least, most] = EDGES[key as keyof InstanceLimits] ?? [0, Number.MAX_SAFE_INTEGER];
    const unbounded = value === null && key === 'root_wall_ms';
    if (!unbounded && !(Number.isInteger(value) && Number(value) >= least && Number(value) <= most)) {
      wrong(
        `"limits.${key}" must be a whole number${most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : ` from ${least}`}${key.endsWith('_ms') ? ', in milliseconds' : ''}.`,
      );
    }
    limits[key] = value;
  }
  if (given?.max_concurrent !== undefined && given.launch_concurrency === undefined)
    limits['launch_concurrency'] = given.max_concurrent;
  return limits as unknown as InstanceLimits;
}

/** What is kept of what has ended, with the defaults for what is left out; null: all of it. */
export function givenRetention(given: ErrandOptions['retention']): Retention | null {
  if (given === null) return null;
  if (given !== undefined && typeof given !== 'object') wrong('"retention" is an object, or null to delete nothing.');
  for (const [key, value] of Object.entries(given ?? {})) {
    if (!isRetentionKey(key))
      wrong(`"retention" has no "${key}"; there are: ${Object.keys(RETENTION_BOUNDS).join(', ')}.`);
    const { least, most } = RETENTION_BOUNDS[key];
    if (value !== undefined && !(Number.isInteger(value) && value >= least && value <= most))
      wrong(`"retention.${key}" must be a whole number from ${least} to ${most}.`);
  }
  const retention = retentionFrom(given ?? {});
  const clash = clashOfRetention(retention);
  if (clash !== null) wrong(clash);
  return retention;
}

function isRetentionKey(key: string): key is keyof Retention {
  return Object.hasOwn(RETENTION_BOUNDS, key);
}

/** A connection as the adapters take it; what is left out or undefined is not there. */
export function connectionFrom(given: ConnectionOptions, defaultTimeoutMs: number): Connection {
  const { name, kind, baseUrl, apiKey, headers, callTimeoutMs, contextWindow } = given;
  if (typeof name !== 'string' || !/^[^/\s]+$/u.test(name))
    wrong('"connections": each needs a "name" without slashes or blanks.');
  if (!CONNECTION_KINDS.includes(kind)) wrong(`Connection "${name}" needs a "kind": ${CONNECTION_KINDS.join(', ')}.`);
  for (const [key, value] of Object.entries({ baseUrl, apiKey })) {
    if (value !== undefined && value !== null && typeof value !== 'string')
      wrong(`"${key}" of connection "${name}" must be a text.`);
  }
  return {
    name,
    kind,
    baseUrl: baseUrl ?? null,
    apiKey: apiKey ?? null,
    headers: headers ?? {},
    callTimeoutMs: callTimeoutMs ?? defaultTimeoutMs,
    ...(contextWindow === undefined ? {} : { contextWindow }),
  };
}

export function checkRequest(request: StartRequest): void {
  if (typeof request !== 'object' || request === null) wrong('A request is an object with "task", "model" and "cwd".');
  onlyKnown(request, REQUEST, 'a request');
  for (const key of ['task', 'model', 'cwd'] as const) {
    if (typeof request[key] !== 'string') wrong(`A request needs "${key}", a text.`);
  }
  if (!isAbsolute(request.cwd)) wrong('"cwd" must be an absolute path.');
}

function onlyKnown(given: object, known: readonly string[], of: string): void {
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined) wrong(`"${unknown}" is no option of ${of}; there are: ${known.join(', ')}.`);
}

function wrong(message: string): never {
  throw new CodedError('options', message);
}
