import { describe, expect, onTestFinished, test } from 'vitest';
import { createTransport, type TransportOptions } from '../../src/models/shared/transport.ts';
import { createScriptedServer, endless, malformed, type Reply, status } from '../../src/testing/index.ts';

async function post(reply: Reply, options: TransportOptions = {}) {
  const server = await createScriptedServer([reply]);
  onTestFinished(() => server.close());
  const send = createTransport(options);
  return {
    server,
    response: send(`${server.url}/chat/completions`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    }),
  };
}

async function readAll(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = '';
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read())
    text += Buffer.from(piece.value).toString();
  return text;
}

describe('the transport', () => {
  test('[MOD-6] stops reading a stream that is larger than any answer', async () => {
    const { server, response } = await post(endless('x'.repeat(1000)), { maxBytes: 100_000 });
    await expect(readAll(await response)).rejects.toMatchObject({ kind: 'too_large' });
    await server.until(() => server.openConnections() === 0);
  });

  test('[MOD-6] reads no more of an error than a message needs', async () => {
    const { server, response } = await post(status(500, 'x'.repeat(1_000_000)));
    expect((await response).status).toBe(500);
    expect((await readAll(await response)).length).toBeLessThan(100_000);
    await server.until(() => server.openConnections() === 0);
  });

  test('[MOD-6] closes the socket of a response that is given up', async () => {
    const { server, response } = await post(endless('x'.repeat(100_000)));
    const { body } = await response;
    await body?.getReader().read();
    await body?.cancel();
    await server.until(() => server.openConnections() === 0);
    expect(server.openConnections()).toBe(0);
  });

  test('[MOD-1] hands on status, words and headers as they came', async () => {
    const { response } = await post(
      malformed('data: {}\n\n', { 'content-type': 'text/event-stream', 'X-Request-Id': 'abc' }),
    );
    const { ok, status: code, statusText, headers } = await response;
    expect([ok, code, statusText, headers.get('x-request-id')]).toStrictEqual([true, 200, 'OK', 'abc']);
    expect(await readAll(await response)).toBe('data: {}\n\n');
  });
});
