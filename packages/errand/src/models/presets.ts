/** What is known about a well-known OpenAI-compatible server. */
export interface Preset {
  readonly baseUrl: string;
  /** The environment variable that usually holds its key; null: it wants none. */
  readonly keyEnvironment: string | null;
}

/** Servers that a connection may name in place of a base URL. */
export const PRESETS = {
  deepseek: { baseUrl: 'https://api.deepseek.com/v1', keyEnvironment: 'DEEPSEEK_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyEnvironment: 'OPENROUTER_API_KEY' },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', keyEnvironment: null },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', keyEnvironment: null },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', keyEnvironment: null },
} as const satisfies Readonly<Record<string, Preset>>;
