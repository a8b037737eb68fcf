import { fail, type Result, succeed } from '../base/result.ts';
import { DEFAULT_LIMITS, type InstanceLimits } from '../domain/run/limits.ts';
import { parseDuration, plainDuration } from './duration.ts';
import { DEFAULT_RETENTION, RETENTION_BOUNDS, type Retention } from './retention.ts';

export const OUTPUT_FORMATS = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** What an option takes. Bounds of a duration are in milliseconds. */
export type OptionKind =
  | { readonly kind: 'count'; readonly least: number; readonly most: number }
  | { readonly kind: 'duration'; readonly least: number; readonly most: number; readonly zeroIsDefault?: true }
  | { readonly kind: 'model' | 'word' | 'folder' | 'switch' }
  | { readonly kind: 'choice'; readonly values: readonly string[] };

/**
 * One option, wherever it can be given. This table makes the flags of `errand run`, the environment names, the keys of
 * `config.toml`, their validation, the help and the pages about them.
 */
export interface Option {
  /** Name in `config.toml`, dotted, or of the flag where no file may give it. */
  readonly key: string;
  readonly inFile: boolean;
  readonly flag: string | null;
  readonly environment: string | null;
  readonly value: OptionKind;
  readonly help: string;
  /** The bound that it sets. */
  readonly limit?: keyof InstanceLimits;
  /** Default in words, where it is not that of `limit`. */
  readonly fallback?: string;
}

export type OptionValue = string | number | boolean;

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const WEEK = 168 * HOUR;
const wall: OptionKind = { kind: 'duration', least: 1, most: WEEK };
const count = (least: number, most: number): OptionKind => ({ kind: 'count', least, most });
const characters = count(200, 10_000_000);

interface Words {
  readonly help: string;
  readonly flag?: string;
  readonly environment?: string;
}

function limit(bound: keyof InstanceLimits, value: OptionKind, words: Words): Option {
  const key = `limits.${bound.replace(/_ms$/u, '')}`;
  return { flag: null, environment: null, ...words, key, inFile: true, value, limit: bound };
}

function retention(name: keyof Retention, help: string): Option {
  const value: OptionKind = { kind: 'count', ...RETENTION_BOUNDS[name] };
  const fallback = String(DEFAULT_RETENTION[name]);
  return { key: `retention.${name}`, inFile: true, flag: null, environment: null, value, help, fallback };
}

export const OPTIONS: readonly Option[] = [
  {
    key: 'model',
    inFile: true,
    flag: '--model',
    environment: 'ERRAND_MODEL',
    value: { kind: 'model' },
    help: 'model to use, as <connection>/<id>',
    fallback: 'offline/extract where no connection is configured',
  },
  {
    key: 'effort',
    inFile: true,
    flag: '--effort',
    environment: 'ERRAND_EFFORT',
    value: { kind: 'word' },
    help: 'how hard the model is to think, in the words of its provider (low, medium, high …)',
    fallback: "the provider's",
  },
  {
    key: 'cwd',
    inFile: false,
    flag: '--cwd',
    environment: null,
    value: { kind: 'folder' },
    help: 'folder to work in',
    fallback: 'the current folder',
  },
  limit('max_per_turn', count(0, 10_000), {
    help: 'helpers in all, those of helpers included',
    flag: '--max-helpers',
    environment: 'ERRAND_MAX_HELPERS',
  }),
  limit('root_steps', count(1, 100_000), {
    help: 'steps of the root run',
    flag: '--steps',
    environment: 'ERRAND_STEPS',
  }),
  limit('root_wall_ms', wall, { help: 'active time of the root run', flag: '--wall', environment: 'ERRAND_WALL' }),
  limit('helper_steps', count(1, 100_000), {
    help: 'steps of each helper',
    flag: '--helper-steps',
    environment: 'ERRAND_HELPER_STEPS',
  }),
  limit('helper_wall_ms', wall, {
    help: 'active time of each helper',
    flag: '--helper-wall',
    environment: 'ERRAND_HELPER_WALL',
  }),
  limit('max_concurrent', count(1, 10_000), {
    help: 'runs that work at the same time',
    flag: '--max-concurrent',
    environment: 'ERRAND_MAX_CONCURRENT',
  }),
  {
    key: 'output-format',
    inFile: false,
    flag: '--output-format',
    environment: 'ERRAND_OUTPUT_FORMAT',
    value: { kind: 'choice', values: OUTPUT_FORMATS },
    help: 'the answer as text, one json object, or every event as a line of JSON',
    fallback: 'text',
  },
  {
    key: 'quiet',
    inFile: false,
    flag: '--quiet',
    environment: null,
    value: { kind: 'switch' },
    help: 'show no progress',
    fallback: 'off',
  },
  limit('launch_concurrency', count(1, 10_000), {
    help: 'helpers that may be starting or running at once before others queue',
  }),
  limit('max_admitted', count(1, 1_000_000), { help: 'runs that work or queue; a launch beyond is refused' }),
  limit('max_depth', count(0, 8), { help: 'generations of helpers; 0: no delegation' }),
  limit('helper_tool_calls', count(1, 1_000_000), { help: 'tool calls of each helper' }),
  limit(
    'call_timeout_ms',
    { kind: 'duration', least: SECOND, most: HOUR, zeroIsDefault: true },
    { help: 'one call of a model; 0: the default' },
  ),
  limit('tool_timeout_ms', { kind: 'duration', least: SECOND, most: HOUR }, { help: 'one tool call' }),
  limit('retries', count(0, 20), { help: 'further attempts after a fault that may pass' }),
  limit(
    'stream_idle_timeout_ms',
    { kind: 'duration', least: SECOND, most: HOUR },
    { help: 'silence within a model call' },
  ),
  limit(
    'heartbeat_ms',
    { kind: 'duration', least: 30 * SECOND, most: HOUR },
    { help: 'a run without any sign of life' },
  ),
  limit('stop_grace_ms', { kind: 'duration', least: SECOND, most: HOUR / 6 }, { help: 'time for a stop itself' }),
  limit('answer_characters', characters, { help: "a helper's answer as handed to its parent" }),
  limit('step_answer_characters', characters, { help: 'all answers of one step together' }),
  limit('tool_result_characters', characters, { help: 'one tool result as the model is shown it' }),
  retention('days', 'days that runs which have ended are kept'),
  retention('hidden_days', 'days that the conversations of helpers are kept after their turn has ended'),
  retention('runs', 'runs which have ended that are kept, the latest'),
];

/** Options that `errand run` takes, in the order of its help. */
export const RUN_OPTIONS: readonly Option[] = OPTIONS.filter((option) => option.flag !== null);

/** Reads a value. `name` is what was written: the flag, the variable or the key; the error begins with it. */
export function parseOption(option: Pick<Option, 'value'>, raw: unknown, name: string): Result<OptionValue, string> {
  const value = read(option.value, raw);
  if (value !== null) return succeed(value);
  return fail(`${name} takes ${accepts(option.value)}, not ${quote(raw)}.`);
}

function read(kind: OptionKind, raw: unknown): OptionValue | null {
  switch (kind.kind) {
    case 'switch':
      return typeof raw === 'boolean' ? raw : null;
    case 'choice':
      return typeof raw === 'string' && kind.values.includes(raw) ? raw : null;
    case 'model':
      return typeof raw === 'string' && /^[^\s/]+\/\S+$/u.test(raw) ? raw : null;
    case 'word':
      return typeof raw === 'string' && /^[a-z][a-z0-9_-]{0,31}$/iu.test(raw) ? raw : null;
    case 'folder':
      return typeof raw === 'string' && raw !== '' && !raw.includes('\0') ? raw : null;
    case 'count':
      return within(kind, typeof raw === 'string' ? wholeNumber(raw) : raw);
    case 'duration': {
      const milliseconds = parseDuration(raw);
      return kind.zeroIsDefault && milliseconds === 0 ? 0 : within(kind, milliseconds);
    }
  }
}

function wholeNumber(text: string): number | null {
  return /^\d{1,15}$/u.test(text) ? Number(text) : null;
}

function within(bounds: { readonly least: number; readonly most: number }, value: unknown): number | null {
  return Number.isInteger(value) && (value as number) >= bounds.least && (value as number) <= bounds.most
    ? (value as number)
    : null;
}

/** What an option takes, in words. */
export function accepts(kind: OptionKind): string {
  switch (kind.kind) {
    case 'switch':
      return 'true or false';
    case 'choice':
      return `one of ${kind.values.join(', ')}`;
    case 'model':
      return '<connection>/<id>';
    case 'word':
      return 'one word such as low, medium or high';
    case 'folder':
      return 'a folder';
    case 'count':
      return `a whole number from ${kind.least} to ${kind.most}`;
    case 'duration': {
      const from = kind.least < SECOND ? 'more than 0' : `from ${plainDuration(kind.least)}`;
      const zero = kind.zeroIsDefault ? ', or 0 for the default' : '';
      return `a time in seconds or one such as 30s, 5m or 1h (${from}, up to ${plainDuration(kind.most)})${zero}`;
    }
  }
}

/** Default of an option, in words. */
export function defaultInWords(option: Option): string {
  if (option.fallback !== undefined || !option.limit) return option.fallback ?? '';
  if (option.limit === 'launch_concurrency') return 'the same as max_concurrent';
  if (option.limit === 'heartbeat_ms') return '30s more than the longer of call_timeout and tool_timeout, 5m at least';
  const value = DEFAULT_LIMITS[option.limit];
  if (value === null) return 'none';
  return option.value.kind === 'duration' ? plainDuration(value) : String(value);
}

function quote(raw: unknown): string {
  const text = JSON.stringify(raw) ?? String(raw);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}
