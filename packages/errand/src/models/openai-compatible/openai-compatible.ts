import type { Connection } from '../../ports/model.ts';
import type { Provider } from '../shared/adapter.ts';
import { createTransport } from '../shared/transport.ts';
import { ChunkFolder } from './chunk-folder.ts';

/** Chat completions as OpenAI once defined them and many servers speak them. */
export function openAICompatible(connection: Connection, id: string): Provider {
  return {
    args: 'text',
    markErrors: true,
    defaultUrl: '',
    load: async () => {
      const { OpenAICompatibleChatLanguageModel } = await import('@ai-sdk/openai-compatible');
      const url = `${(connection.baseUrl ?? '').replace(/\/+$/u, '')}/chat/completions`;
      const authorization = connection.apiKey === null ? {} : { authorization: `Bearer ${connection.apiKey}` };
      return new OpenAICompatibleChatLanguageModel(id, {
        provider: 'openaiCompatible.chat',
        url: () => url,
        includeUsage: true,
        // Added here, the key never passes through the package.
        fetch: createTransport({
          headers: { ...authorization, ...lowerCased(connection.headers) },
          filter: () => new ChunkFolder(),
        }),
      });
    },
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toLowerCase(), value]));
}
