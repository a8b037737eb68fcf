import type { Connection } from '../../ports/model.ts';
import type { Provider } from '../shared/adapter.ts';
import { joinHeaders } from '../shared/headers.ts';
import { createTransport } from '../shared/transport.ts';

const DEFAULT_URL = 'https://api.anthropic.com/v1';
/** The API demands a bound; the package lowers it for models that have less. */
const MAX_OUTPUT_TOKENS = 32_000;

/** Anthropic's Messages API. */
export function anthropic(connection: Connection, id: string): Provider {
  const { apiKey, baseUrl, headers } = connection;
  return {
    args: 'object',
    markErrors: false,
    defaultUrl: DEFAULT_URL,
    options: {
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      // Each step repeats the transcript so far; other servers of this API may not know the field.
      ...(baseUrl === null ? { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } } : {}),
    },
    load: async () => {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      const provider = createAnthropic({
        // Given in full: the package would look into the environment otherwise.
        baseURL: baseUrl ?? DEFAULT_URL,
        apiKey: '',
        fetch: createTransport({ headers: joinHeaders(apiKey === null ? {} : { 'x-api-key': apiKey }, headers) }),
      });
      return provider.messages(id);
    },
  };
}
