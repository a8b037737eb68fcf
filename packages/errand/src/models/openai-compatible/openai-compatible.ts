import type { Connection } from '../../ports/model.ts';
import type { Provider } from '../shared/adapter.ts';
import { joinHeaders } from '../shared/headers.ts';
import { createTransport } from '../shared/transport.ts';
import { ChunkFolder } from './chunk-folder.ts';

/** Chat completions as OpenAI once defined them and many servers speak them. */
export function openAICompatible(connection: Connection, id: string): Provider {
  const { apiKey, baseUrl, headers } = connection;
  return {
    args: 'text',
    markErrors: true,
    defaultUrl: '',
    load: async () => {
      const { OpenAICompatibleChatLanguageModel } = await import('@ai-sdk/openai-compatible');
      const url = `${(baseUrl ?? '').replace(/\/+$/u, '')}/chat/completions`;
      return new OpenAICompatibleChatLanguageModel(id, {
        provider: 'openaiCompatible.chat',
        url: () => url,
        includeUsage: true,
        // The key is added here: it never passes through the package.
        fetch: createTransport({
          headers: joinHeaders(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }, headers),
          filter: () => new ChunkFolder(),
        }),
      });
    },
  };
}
