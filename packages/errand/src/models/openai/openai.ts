import type { Connection } from '../../ports/model.ts';
import type { Provider } from '../shared/adapter.ts';
import { joinHeaders } from '../shared/headers.ts';
import { createTransport } from '../shared/transport.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';

/** OpenAI's Responses API. */
export function openAI(connection: Connection, id: string): Provider {
  const { apiKey, baseUrl, headers } = connection;
  return {
    args: 'text',
    markErrors: false,
    defaultUrl: DEFAULT_URL,
    // Nothing is kept on their side: what a later call needs comes back encrypted and stands in our own journal.
    options: { providerOptions: { openai: { store: false } } },
    load: async () => {
      const { createOpenAI } = await import('@ai-sdk/openai');
      const provider = createOpenAI({
        // Given in full: the package would look into the environment otherwise.
        baseURL: baseUrl ?? DEFAULT_URL,
        apiKey: '',
        fetch: createTransport({
          headers: joinHeaders(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }, headers),
        }),
      });
      return provider.responses(id);
    },
  };
}
