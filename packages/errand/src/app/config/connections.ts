import type { Connection } from '../../ports/model.ts';
import type { Environment } from '../environment.ts';

type Kind = Connection['kind'];

/** A provider known by name. */
export interface Preset {
  readonly kind: Kind;
  readonly baseUrl: string | null;
  /** Variable that holds its key; null: it needs none. */
  readonly keyVariable: string | null;
}

export const PRESETS: Readonly<Record<string, Preset>> = {
  openai: { kind: 'openai', baseUrl: null, keyVariable: 'OPENAI_API_KEY' },
  anthropic: { kind: 'anthropic', baseUrl: null, keyVariable: 'ANTHROPIC_API_KEY' },
  google: { kind: 'google', baseUrl: null, keyVariable: 'GEMINI_API_KEY' },
  deepseek: {
    kind: 'openai-compatible',
    baseUrl: 'https://api.deepseek.com/v1',
    keyVariable: 'DEEPSEEK_API_KEY',
  },
  openrouter: {
    kind: 'openai-compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
  },
  ollama: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:11434/v1', keyVariable: null },
  lmstudio: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1234/v1', keyVariable: null },
  vllm: { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:8000/v1', keyVariable: null },
};

/** What makes a connection of its own in the environment, and the variable that names its model. */
interface FromEnvironment {
  readonly name: string;
  readonly baseUrlVariable: string | null;
  readonly modelVariable: string | null;
}

const FROM_ENVIRONMENT: readonly FromEnvironment[] = [
  { name: 'openai', baseUrlVariable: 'OPENAI_BASE_URL', modelVariable: 'OPENAI_MODEL' },
  { name: 'anthropic', baseUrlVariable: 'ANTHROPIC_BASE_URL', modelVariable: 'ANTHROPIC_MODEL' },
  { name: 'google', baseUrlVariable: null, modelVariable: null },
  { name: 'deepseek', baseUrlVariable: null, modelVariable: null },
  { name: 'openrouter', baseUrlVariable: null, modelVariable: null },
];

/** Variables that point a provider's connection at a server of one's own, by its name. */
export const BASE_URLS: Readonly<Record<string, string>> = Object.fromEntries(
  FROM_ENVIRONMENT.flatMap(({ name, baseUrlVariable }) => (baseUrlVariable ? [[name, baseUrlVariable]] : [])),
);

export const OFFLINE_MODEL = 'offline/extract';

/** A connection as it is configured: how to reach it, and what is to be known about it. */
export interface ConfiguredConnection {
  readonly name: string;
  readonly kind: Kind;
  readonly baseUrl: string | null;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Variable from which the key is taken, or would be if it were set. */
  readonly keyVariable: string | null;
  /** Without a key it cannot work. */
  readonly needsKey: boolean;
  /** Tokens of the context window of its models; null: not known. */
  readonly contextWindow: number | null;
  readonly from: 'environment' | 'user' | 'project' | 'default';
}

export const OFFLINE: ConfiguredConnection = {
  name: 'offline',
  kind: 'offline',
  baseUrl: null,
  apiKey: null,
  headers: {},
  keyVariable: null,
  needsKey: false,
  contextWindow: null,
  from: 'default',
};

/** The connections that the environment makes by itself. */
export function connectionsFromEnvironment(environment: Environment): ConfiguredConnection[] {
  return FROM_ENVIRONMENT.flatMap(({ name, baseUrlVariable }) => {
    const preset = PRESETS[name];
    if (!preset) return [];
    const apiKey = (preset.keyVariable && environment[preset.keyVariable]) || null;
    const baseUrl = (baseUrlVariable && environment[baseUrlVariable]) || null;
    if (!apiKey && !baseUrl) return [];
    // A base URL of one's own speaks chat completions, whoever serves it.
    const kind = name === 'openai' && baseUrl ? 'openai-compatible' : preset.kind;
    return [
      {
        name,
        kind,
        baseUrl: baseUrl ? trimmed(baseUrl) : preset.baseUrl,
        apiKey,
        headers: {},
        keyVariable: preset.keyVariable,
        needsKey: !baseUrl,
        contextWindow: null,
        from: 'environment' as const,
      },
    ];
  });
}

/** The models that variables such as OPENAI_MODEL name, each for a connection that is there. */
export function modelsFromEnvironment(
  environment: Environment,
  connections: readonly ConfiguredConnection[],
): { readonly variable: string; readonly model: string }[] {
  return FROM_ENVIRONMENT.flatMap(({ name, modelVariable }) => {
    const id = modelVariable && environment[modelVariable];
    if (!id || !connections.some((connection) => connection.name === name)) return [];
    return [{ variable: modelVariable, model: `${name}/${id}` }];
  });
}

/** Whether what is sent to a connection stays on this machine. */
export function isLocal({ kind, baseUrl }: Pick<ConfiguredConnection, 'kind' | 'baseUrl'>): boolean {
  return kind === 'offline' || (baseUrl !== null && isLoopback(baseUrl));
}

/** Whether an address can only be reached on this machine. */
export function isLoopback(baseUrl: string): boolean {
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/u.test(host);
}

/** Why an address cannot be used as a base URL; null: it can. */
export function badBaseUrl(baseUrl: string): string | null {
  const url = URL.parse(baseUrl);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return 'must begin with http:// or https://';
  if (url.username || url.password) return 'must hold no user name or password; give a key with api_key or api_key_env';
  return null;
}

export function trimmed(baseUrl: string): string {
  return baseUrl.replace(/\/+$/u, '');
}

/** As the model adapters take it. */
export function asConnection(connection: ConfiguredConnection, callTimeoutMs: number): Connection {
  const { name, kind, baseUrl, apiKey, headers, contextWindow } = connection;
  const window = contextWindow === null ? {} : { contextWindow };
  return { name, kind, baseUrl, apiKey, headers, callTimeoutMs, ...window };
}
