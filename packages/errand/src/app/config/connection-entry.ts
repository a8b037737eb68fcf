import { isJsonObject } from '../../base/json.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { CONNECTION_KINDS } from '../../ports/model.ts';
import type { Environment } from '../environment.ts';
import { badBaseUrl, type ConfiguredConnection, PRESETS, trimmed } from './connections.ts';

/** `[connections.<name>]` as a file says it, checked. */
export interface ConnectionEntry {
  readonly kind: ConfiguredConnection['kind'];
  readonly baseUrl: string | null;
  /** A key that stands in the file itself. */
  readonly apiKey: string | null;
  /** Variable that holds the key: named, or the preset's own. */
  readonly keyVariable: string | null;
  readonly needsKey: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** Tokens; null: not said. */
  readonly contextWindow: number | null;
}

/** What is wrong, and with which key of the table; null: with the table. */
export interface EntryProblem {
  readonly key: string | null;
  readonly message: string;
}

const KEYS = ['preset', 'kind', 'base_url', 'api_key', 'api_key_env', 'headers', 'context_window'];
/** Tokens of a context window. */
const WINDOW = { least: 1_000, most: 10_000_000 };
const KINDS = CONNECTION_KINDS.filter((kind) => kind !== 'offline');
/** Presets of the providers that have a kind of their own. */
const VENDORS = ['openai', 'anthropic', 'google'];

export function readConnection(
  name: string,
  table: Readonly<Record<string, unknown>>,
): Result<ConnectionEntry, EntryProblem> {
  const refuse = (key: string | null, message: string) => fail({ key, message });
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/iu.test(name)) {
    return refuse(null, `"${name}" is no name for a connection: letters, digits, "-" and "_", 64 at most.`);
  }
  if (name === 'offline') return refuse(null, 'the connection "offline" is built in and cannot be redefined.');
  for (const [key, value] of Object.entries(table)) {
    const problem = KEYS.includes(key) ? wrongValue(key, value) : `is unknown; accepted: ${KEYS.join(', ')}`;
    if (problem) return refuse(key, `connections.${name}.${key} ${problem}.`);
  }
  return assemble(name, table);
}

function assemble(name: string, table: Readonly<Record<string, unknown>>): Result<ConnectionEntry, EntryProblem> {
  const text = (key: string) => (typeof table[key] === 'string' ? table[key] : null);
  const where = `connections.${name}`;
  if (text('api_key') && text('api_key_env')) {
    return fail({ key: 'api_key_env', message: `${where} has both api_key and api_key_env: keep one.` });
  }
  const preset = PRESETS[text('preset') ?? ''];
  const kind =
    KINDS.find((known) => known === text('kind')) ?? preset?.kind ?? (text('base_url') ? 'openai-compatible' : null);
  if (!kind) {
    return fail({ key: null, message: `${where} needs a preset, a kind or a base_url to say what it connects to.` });
  }
  if (preset && kind !== preset.kind && !(text('preset') === 'openai' && kind === 'openai-compatible')) {
    return fail({
      key: 'kind',
      message: `${where}: preset "${text('preset')}" is of kind ${preset.kind}, not ${kind}.`,
    });
  }
  const baseUrl = text('base_url') ?? preset?.baseUrl ?? null;
  if (kind === 'openai-compatible' && !baseUrl) {
    return fail({ key: null, message: `${where} needs a base_url: kind openai-compatible says nothing about where.` });
  }
  // A provider's own key goes to that provider's own address unless the file says otherwise.
  const vendor = preset ?? (text('base_url') ? undefined : PRESETS[VENDORS.find((known) => known === kind) ?? '']);
  const implied = text('api_key') ? null : (vendor?.keyVariable ?? null);
  return succeed({
    kind,
    baseUrl: baseUrl && trimmed(baseUrl),
    apiKey: text('api_key'),
    keyVariable: text('api_key_env') ?? implied,
    needsKey: text('api_key_env') !== null || (vendor?.keyVariable ?? null) !== null,
    headers: isJsonObject(table.headers) ? (table.headers as Record<string, string>) : {},
    contextWindow: typeof table.context_window === 'number' ? table.context_window : null,
  });
}

/** Why a value cannot be taken, as the rest of a sentence; null: it can. */
function wrongValue(key: string, value: unknown): string | null {
  if (key === 'headers') return wrongHeaders(value);
  if (key === 'context_window') return wrongWindow(value);
  if (typeof value !== 'string' || value.trim() === '') return 'must be a text';
  switch (key) {
    case 'preset':
      return Object.hasOwn(PRESETS, value) ? null : `takes one of ${Object.keys(PRESETS).join(', ')}, not "${value}"`;
    case 'kind':
      return KINDS.some((kind) => kind === value) ? null : `takes one of ${KINDS.join(', ')}, not "${value}"`;
    case 'base_url':
      return badBaseUrl(value);
    case 'api_key_env':
      return /^[A-Za-z_][A-Za-z0-9_]*$/u.test(value) ? null : 'must be the name of an environment variable, not a key';
    default:
      return /^[\x21-\x7e]+$/u.test(value) ? null : 'must be printable ASCII without blanks';
  }
}

function wrongWindow(value: unknown): string | null {
  const { least, most } = WINDOW;
  const fits = Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  return fits ? null : `must be a whole number of tokens from ${least} to ${most}`;
}

function wrongHeaders(value: unknown): string | null {
  if (!isJsonObject(value)) return 'must be a table of texts';
  for (const [name, text] of Object.entries(value)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/u.test(name)) return `holds "${name}", which is no header name`;
    if (typeof text !== 'string' || !/^[\x20-\x7e]*$/u.test(text)) return `must give "${name}" one line of ASCII text`;
  }
  return null;
}

/** The connection that an entry makes in this environment. */
export function connectionOf(
  name: string,
  entry: ConnectionEntry,
  given: { readonly from: 'user' | 'project'; readonly environment: Environment },
): ConfiguredConnection {
  const { kind, baseUrl, headers, keyVariable, needsKey, contextWindow } = entry;
  const apiKey = entry.apiKey ?? ((keyVariable && given.environment[keyVariable]) || null);
  return { name, kind, baseUrl, apiKey, headers, keyVariable, needsKey, contextWindow, from: given.from };
}
