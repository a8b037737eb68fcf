import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/domain/run/message.ts';
import { answer } from '../../src/testing/index.ts';
import { answerOf, connectTo, continued, HELLO, serve, TOOLS } from './calls.ts';

/** The bytes of a body from the messages on, without the closing bracket. */
function messagesOf(body: string): string {
  const from = body.indexOf('"messages":[');
  const to = body.indexOf('],"tools":');
  if (from < 0 || to < 0) throw new Error(`no messages in ${body}`);
  return body.slice(from, to);
}

const messages = fc.array(
  fc.oneof(
    fc.record({ role: fc.constant('user' as const), text: fc.string({ unit: 'grapheme', minLength: 1 }) }),
    fc.record({
      role: fc.constant('assistant' as const),
      text: fc.string({ unit: 'grapheme' }),
      calls: fc.array(
        fc.record({ call_id: fc.uuid(), name: fc.constant('read'), args: fc.oneof(fc.json(), fc.string()) }),
        { maxLength: 3 },
      ),
    }),
    fc.record({
      role: fc.constant('tool' as const),
      results: fc.array(
        fc.record({ call_id: fc.uuid(), name: fc.constant('read'), text: fc.string(), error: fc.boolean() }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
  ),
  { minLength: 1, maxLength: 8 },
);

describe('the encoded transcript', () => {
  test('[MOD-1] of each call begins with the bytes of the call before', async () => {
    const { server, model } = await serve((request) =>
      request.n < 4
        ? answer({
            text: `step ${request.n}`,
            reasoning: 'why',
            calls: [{ name: 'read', args: `{ "path": "${request.n}" }` }],
          })
        : answer({ text: 'end' }),
    );
    const transcript: Message[] = [...HELLO];
    for (let step = 0; step < 4; step++) {
      const said = await answerOf(model, { messages: transcript, tools: TOOLS });
      transcript.splice(0, transcript.length, ...continued(transcript, said));
    }
    const bodies = server.requests.map((request) => messagesOf(request.text));
    for (const [index, body] of bodies.slice(1).entries()) expect(body.startsWith(bodies[index] ?? '?')).toBe(true);
    const rest = server.requests.map((request) => request.text.slice(request.text.indexOf('],"tools":')));
    expect(new Set(rest).size).toBe(1);
  });

  test('[MOD-1] is the same however it came about: grown in place, copied, or read back from a journal', async () => {
    const { server, model } = await serve(() => answer({ text: 'ok' }));
    await fc.assert(
      fc.asyncProperty(messages, async (whole) => {
        const from = server.requests.length;
        const grown: Message[] = [];
        for (const message of whole) {
          grown.push(message);
          if (grown.length % 2 === 0) await answerOf(model, { messages: grown, tools: TOOLS });
        }
        await answerOf(model, { messages: grown, tools: TOOLS });
        await answerOf(model, { messages: [...whole], tools: TOOLS });
        await answerOf(await connectTo(server.url), {
          messages: JSON.parse(JSON.stringify(whole)),
          tools: JSON.parse(JSON.stringify(TOOLS)),
        });
        const bodies = server.requests.slice(from).map((request) => request.text);
        expect(new Set(bodies.slice(-3)).size).toBe(1);
        for (const body of bodies) expect(messagesOf(bodies.at(-1) ?? '').startsWith(messagesOf(body))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('[MOD-1] starts afresh when a transcript was changed instead of added to', async () => {
    const { server, model } = await serve(() => answer({ text: 'ok' }));
    const transcript: Message[] = [{ role: 'user', text: 'one' }];
    await answerOf(model, { messages: transcript });
    transcript[0] = { role: 'user', text: 'two' };
    await answerOf(model, { messages: transcript });
    expect(server.requests.map((request) => request.messages[1]?.content)).toStrictEqual(['one', 'two']);
  });
});
