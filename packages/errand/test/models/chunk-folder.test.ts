import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChunkFolder } from '../../src/models/openai-compatible/chunk-folder.ts';
import { event, malformed } from '../../src/testing/index.ts';
import { serve, watch } from './calls.ts';

/** What comes out of the folder for these pieces. */
function fold(pieces: readonly Uint8Array[]): string[] {
  const folder = new ChunkFolder();
  const out = pieces.map((piece) => folder.push(Buffer.from(piece)));
  return [...out, folder.end()].flatMap((piece) => (piece ? [Buffer.from(piece).toString('utf8')] : []));
}

const chunk = (delta: object | null, more: object = {}, outer: object = {}) =>
  event({
    id: 'x',
    model: 'm',
    created: 1,
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
    ...outer,
  } as never);

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const delta = fc.oneof(
  text.map((content) => ({ content })),
  text.map((content) => ({ role: 'assistant', content })),
  text.map((content) => ({ reasoning_content: content, content: null })),
  text.map((content) => ({ reasoning: content })),
  fc.constant({ reasoning_content: '', reasoning: 'both' }),
  fc.constant({}),
  fc.constant({ content: [{ type: 'text', text: 'list' }] }),
  fc.constant({ refusal: 'no' }),
  fc
    .record({
      index: fc.nat(2),
      id: fc.constantFrom('a', 'b', '', null),
      name: fc.constantFrom('read', 'list'),
      args: fc.constantFrom('', '{', '{}'),
    })
    .map(({ index, id, name, args }) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }],
    })),
  fc
    .record({ index: fc.nat(2), args: text })
    .map(({ index, args }) => ({ tool_calls: [{ index, function: { arguments: args } }] })),
);
const events = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: delta.map((given) => chunk(given)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ': ping\n\n',
        'data: [DONE]\n\n',
        chunk(null),
        event({ choices: [] }),
        event({ id: '', model: '', choices: [] }),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.nat(99).map((n) => event({ choices: [], usage: { prompt_tokens: n, completion_tokens: 3 } })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('stop', 'length').map((finish) => chunk({ content: '!' }, { finish_reason: finish })),
    },
  ),
  { maxLength: 30 },
);

describe('joined chunks', () => {
  test('[MOD-9] read the same as the chunks one by one', async () => {
    let stream: readonly string[] = [];
    // Other line ends are never joined: the first request gets the events as they are, the second all of them at once.
    const { server, model } = await serve((request) =>
      malformed(request.n % 2 === 1 ? stream.join('').replaceAll('\n', '\r\n') : stream.join('')),
    );
    await fc.assert(
      fc.asyncProperty(events, async (given) => {
        stream = [...given, chunk({}, { finish_reason: 'stop' })];
        const single = watch(model);
        const one = await single.outcome;
        const joined = watch(model);
        const other = await joined.outcome;
        expect(withoutMadeUpIds(other)).toStrictEqual(withoutMadeUpIds(one));
        expect(joined.seen.text).toBe(single.seen.text);
      }),
      { numRuns: 150 },
    );
    expect(server.requests.length).toBeGreaterThan(100);
  });

  test('[MOD-9] are one for a text that arrives together, with its end and usage', () => {
    const stream = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({}, { finish_reason: 'stop' }),
      event({ choices: [], usage: { prompt_tokens: 1 } }),
    ];
    const [joined, ...rest] = fold([Buffer.from(`${stream.join('')}data: [DONE]\n\n`)]);
    expect(rest).toStrictEqual([]);
    const parts = joined?.split('\n\n') ?? [];
    expect(parts.slice(1)).toStrictEqual(['data: [DONE]', '']);
    expect(JSON.parse(parts[0]?.slice(6) ?? '')).toMatchObject({
      choices: [{ delta: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 1 },
    });
  });

  test('[MOD-9] never wait for more than the rest of an event', () => {
    const first = chunk({ content: 'ü1' });
    const second = Buffer.from(chunk({ content: 'ü2' }));
    const cut = second.indexOf(0xc3) + 1;
    const folder = new ChunkFolder();
    expect(folder.push(Buffer.concat([Buffer.from(first), second.subarray(0, cut)]))?.toString()).toBe(first);
    expect(folder.push(second.subarray(cut))?.toString()).toBe(second.toString());
    expect(folder.end()).toBeNull();
  });

  test('[MOD-9] a stream without events passes as it is instead of piling up', () => {
    const folder = new ChunkFolder();
    const piece = Buffer.alloc(600_000, 'x');
    expect(folder.push(piece)).toBeNull();
    expect(folder.push(piece)?.length).toBe(1_200_000);
    expect(folder.push(piece)?.length).toBe(600_000);
  });
});

/** Where a provider repeats or leaves out ids, the package makes up others. */
function withoutMadeUpIds(outcome: unknown): unknown {
  return JSON.parse(
    JSON.stringify(outcome, (key, value) => (key === 'call_id' && !['a', 'b'].includes(value) ? 'made up' : value)),
  );
}
