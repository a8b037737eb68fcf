import { plainDuration } from '../duration.ts';
import { defaultInWords, OPTIONS } from '../options.ts';
import type { ConfiguredConnection } from './connections.ts';
import type { Settings } from './settings.ts';

/** The configuration as it may be shown: no key is in it. */
export interface ConfigStatus {
  readonly files: {
    readonly user: { readonly path: string; readonly found: boolean };
    readonly project: string | null;
    readonly store: string;
  };
  readonly settings: readonly SettingStatus[];
  readonly connections: readonly ConnectionStatus[];
  /** Connections that the environment would make and that a file defines. */
  readonly shadowed: readonly string[];
  readonly model: { readonly name: string | null; readonly from: string | null; readonly problem: string | null };
}

export interface SettingStatus {
  readonly key: string;
  readonly fallback: string;
  /** Times as they can be written; null: nothing is set, and the default is not a value. */
  readonly value: string | number | boolean;
  readonly from: 'flag' | 'environment' | 'project' | 'user' | 'default';
  /** Flag, variable or file. */
  readonly name: string | null;
}

export interface ConnectionStatus {
  readonly name: string;
  readonly kind: string;
  readonly base_url: string | null;
  readonly key: 'set' | 'not set' | 'not needed';
  /** The variable that holds it, or would. */
  readonly key_variable: string | null;
  /** Tokens; null: not known. */
  readonly context_window: number | null;
  readonly from: ConfiguredConnection['from'];
}

export function configStatus(settings: Settings): ConfigStatus {
  const { files, paths, configured, shadowed, model } = settings;
  return {
    files: { ...files, store: paths.store },
    settings: OPTIONS.filter((option) => option.inFile).map(({ key }) => settingStatus(key, settings)),
    connections: configured.map(connectionStatus),
    shadowed,
    model: model.ok
      ? { name: model.value.name, from: model.value.source.from, problem: null }
      : { name: null, from: null, problem: model.error.message },
  };
}

function settingStatus(key: string, { set, limits }: Settings): SettingStatus {
  const option = OPTIONS.find((known) => known.key === key);
  if (!option) throw new Error(`there is no option ${key}`);
  const source = set.get(key)?.source ?? { from: 'default' as const };
  const raw = option.limit ? limits[option.limit] : set.get(key)?.value;
  const value = typeof raw === 'number' && option.value.kind === 'duration' ? plainDuration(raw) : raw;
  return {
    key,
    fallback: defaultInWords(option),
    value: value ?? defaultInWords(option),
    from: source.from,
    name: source.from === 'default' ? null : source.name,
  };
}

export function connectionStatus(connection: ConfiguredConnection): ConnectionStatus {
  const { name, kind, baseUrl, apiKey, keyVariable, needsKey, contextWindow, from } = connection;
  const key = apiKey === null ? (needsKey ? 'not set' : 'not needed') : 'set';
  return { name, kind, base_url: baseUrl, key, key_variable: keyVariable, context_window: contextWindow, from };
}
