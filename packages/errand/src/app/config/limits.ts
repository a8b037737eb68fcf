import { longestBackoff } from '../../base/backoff.ts';
import { DEFAULT_LIMITS, type InstanceLimits, RETRY_JITTER } from '../../domain/run/limits.ts';
import { plainDuration } from '../duration.ts';
import { OPTIONS, type OptionValue } from '../options.ts';

/** What is set, by option key. */
export type Values = ReadonlyMap<string, OptionValue>;

type LimitKey = keyof InstanceLimits;

/** A rule between settings that does not hold, in one sentence, and the keys that it names. */
export interface LimitClash {
  readonly message: string;
  readonly keys: readonly string[];
}

const SPARE_MS = 30_000;
const LEAST_HEARTBEAT_MS = 300_000;

/** All bounds: what is set, and the defaults, of which some follow what is set. */
export function limitsFrom(values: Values): InstanceLimits {
  const set: Partial<Record<LimitKey, number>> = {};
  for (const { key, limit, value: kind } of OPTIONS) {
    const value = values.get(key);
    if (!limit || typeof value !== 'number') continue;
    if (value === 0 && kind.kind === 'duration') continue;
    set[limit] = value;
  }
  const call = set.call_timeout_ms ?? DEFAULT_LIMITS.call_timeout_ms;
  const tool = set.tool_timeout_ms ?? DEFAULT_LIMITS.tool_timeout_ms;
  return {
    ...DEFAULT_LIMITS,
    launch_concurrency: set.max_concurrent ?? DEFAULT_LIMITS.launch_concurrency,
    heartbeat_ms: Math.max(LEAST_HEARTBEAT_MS, call + SPARE_MS, tool + SPARE_MS),
    ...set,
  };
}

/** The last line of SPEC table A, for what configuration files say. Null: all hold. */
export function clashOfFiles(values: Values): LimitClash | null {
  const limits = limitsFrom(values);
  const time = (key: 'heartbeat_ms' | 'call_timeout_ms' | 'tool_timeout_ms' | 'stream_idle_timeout_ms') =>
    `${keyOf(key)} (${plainDuration(limits[key])})`;
  for (const key of ['call_timeout_ms', 'tool_timeout_ms'] as const) {
    if (limits.heartbeat_ms > limits[key]) continue;
    return {
      keys: [keyOf('heartbeat_ms'), keyOf(key)],
      message: `${time('heartbeat_ms')} must be longer than ${time(key)}.`,
    };
  }
  const backoff = { first: limits.retry_first_ms, longest: limits.retry_longest_ms, jitter: RETRY_JITTER };
  const patience = (limits.retries + 1) * limits.stream_idle_timeout_ms + longestBackoff(backoff, limits.retries);
  for (const key of ['helper_wall_ms', 'root_wall_ms'] as const) {
    const wall = limits[key];
    if (wall === null || wall > patience) continue;
    return {
      keys: [keyOf(key), keyOf('retries'), keyOf('stream_idle_timeout_ms')],
      message: `${keyOf(key)} (${plainDuration(wall)}) must be longer than ${keyOf('retries')} (${limits.retries}) and ${time(
        'stream_idle_timeout_ms',
      )} can take together: (retries + 1) x stream_idle_timeout + all waiting between, ${plainDuration(patience)}.`,
    };
  }
  return clashOfCounts(limits);
}

/** launch ≤ concurrent ≤ admitted. */
export function clashOfCounts(limits: InstanceLimits): LimitClash | null {
  for (const [lower, upper] of [
    ['launch_concurrency', 'max_concurrent'],
    ['max_concurrent', 'max_admitted'],
  ] as const) {
    if (limits[lower] <= limits[upper]) continue;
    return {
      keys: [keyOf(lower), keyOf(upper)],
      message: `${keyOf(lower)} (${limits[lower]}) must not be greater than ${keyOf(upper)} (${limits[upper]}).`,
    };
  }
  return null;
}

function keyOf(limit: LimitKey): string {
  return OPTIONS.find((option) => option.limit === limit)?.key ?? limit;
}
