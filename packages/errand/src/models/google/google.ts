import type { Connection } from '../../ports/model.ts';
import type { Provider } from '../shared/adapter.ts';
import { joinHeaders } from '../shared/headers.ts';
import { createTransport } from '../shared/transport.ts';

const DEFAULT_URL = 'https://generativelanguage.googleapis.com/v1beta';

/** Google's Gemini API. */
export function google(connection: Connection, id: string): Provider {
  const { apiKey, baseUrl, headers } = connection;
  return {
    args: 'object',
    markErrors: false,
    defaultUrl: DEFAULT_URL,
    load: async () => {
      const { createGoogle } = await import('@ai-sdk/google');
      const provider = createGoogle({
        // Given in full: the package would look into the environment otherwise.
        baseURL: baseUrl ?? DEFAULT_URL,
        apiKey: '',
        fetch: createTransport({ headers: joinHeaders(apiKey === null ? {} : { 'x-goog-api-key': apiKey }, headers) }),
      });
      return provider.languageModel(id);
    },
  };
}
