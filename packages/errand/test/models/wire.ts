import type { JsonObject } from '../../src/base/json.ts';
import { malformed, type Reply } from '../../src/testing/index.ts';

/** What a provider is made to say, whatever its wire format. */
export interface Said {
  readonly text?: readonly string[];
  /** Reasoning with what the provider wants back. */
  readonly thinking?: { readonly text: string; readonly signature: string };
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly args: string }[];
  /** Break off before the end. */
  readonly unfinished?: boolean;
  /** An error in place of the end. */
  readonly error?: JsonObject;
}

function stream(events: readonly JsonObject[], named: boolean): Reply {
  return malformed(
    events.map((data) => `${named ? `event: ${String(data.type)}\n` : ''}data: ${JSON.stringify(data)}\n\n`),
  );
}

/** Anthropic's Messages API. */
export function anthropicStream({ text = [], thinking, calls = [], unfinished, error }: Said): Reply {
  const events: JsonObject[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-2026',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 20, cache_read_input_tokens: 70, cache_creation_input_tokens: 10, output_tokens: 1 },
      },
    },
    { type: 'ping' },
  ];
  let index = 0;
  const block = (start: JsonObject, deltas: readonly JsonObject[]) => {
    events.push({ type: 'content_block_start', index, content_block: start });
    for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
    if (!unfinished) events.push({ type: 'content_block_stop', index });
    index++;
  };
  if (thinking)
    block({ type: 'thinking', thinking: '' }, [
      { type: 'thinking_delta', thinking: thinking.text },
      { type: 'signature_delta', signature: thinking.signature },
    ]);
  if (text.length > 0)
    block(
      { type: 'text', text: '' },
      text.map((piece) => ({ type: 'text_delta', text: piece })),
    );
  for (const { id, name, args } of calls)
    block({ type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: args.slice(0, 3) },
      { type: 'input_json_delta', partial_json: args.slice(3) },
    ]);
  if (error) events.push({ type: 'error', error });
  else if (!unfinished)
    events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 30 },
      },
      { type: 'message_stop' },
    );
  return stream(events, true);
}

/** Google's streamGenerateContent. */
export function googleStream({ text = [], thinking, calls = [], unfinished, error }: Said): Reply {
  const usageMetadata = {
    promptTokenCount: 100,
    cachedContentTokenCount: 70,
    candidatesTokenCount: 25,
    thoughtsTokenCount: 5,
    totalTokenCount: 130,
  };
  const chunk = (parts: readonly JsonObject[], more: JsonObject = {}) => ({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'gemini-2026',
    responseId: 'r1',
    usageMetadata,
  });
  const events: JsonObject[] = [];
  if (thinking) events.push(chunk([{ text: thinking.text, thought: true }]));
  for (const piece of text) events.push(chunk([{ text: piece }]));
  const signature = thinking ? { thoughtSignature: thinking.signature } : {};
  for (const [index, { name, args }] of calls.entries())
    events.push(chunk([{ functionCall: { name, args: JSON.parse(args) }, ...(index === 0 ? signature : {}) }]));
  if (error) events.push({ error });
  else if (!unfinished) events.push(chunk([], { finishReason: 'STOP' }));
  return stream(events, false);
}

/** OpenAI's Responses API. */
export function openAIStream({ text = [], thinking, calls = [], unfinished, error }: Said): Reply {
  const head = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'gpt-2026', output: [] };
  const events: JsonObject[] = [{ type: 'response.created', response: { ...head, status: 'in_progress' } }];
  let index = 0;
  const item = (added: JsonObject, deltas: readonly JsonObject[], done: JsonObject) => {
    events.push({ type: 'response.output_item.added', output_index: index, item: added });
    for (const delta of deltas) events.push({ output_index: index, ...delta });
    if (!unfinished)
      events.push({ type: 'response.output_item.done', output_index: index, item: { ...added, ...done } });
    index++;
  };
  if (thinking) {
    const item_id = 'rs_1';
    item(
      { type: 'reasoning', id: item_id, summary: [], encrypted_content: null },
      [
        { type: 'response.reasoning_summary_part.added', item_id, summary_index: 0 },
        { type: 'response.reasoning_summary_text.delta', item_id, summary_index: 0, delta: thinking.text },
        { type: 'response.reasoning_summary_part.done', item_id, summary_index: 0 },
      ],
      { encrypted_content: thinking.signature, summary: [{ type: 'summary_text', text: thinking.text }] },
    );
  }
  if (text.length > 0) {
    item(
      { type: 'message', id: 'msg_1', role: 'assistant', content: [] },
      text.map((delta) => ({ type: 'response.output_text.delta', item_id: 'msg_1', content_index: 0, delta })),
      { content: [{ type: 'output_text', text: text.join(''), annotations: [] }] },
    );
  }
  for (const { id, name, args } of calls) {
    const item_id = `fc_${id}`;
    item(
      { type: 'function_call', id: item_id, call_id: id, name, arguments: '' },
      [{ type: 'response.function_call_arguments.delta', item_id, delta: args }],
      { arguments: args, status: 'completed' },
    );
  }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 70 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 130,
  };
  if (error) events.push({ type: 'response.failed', response: { ...head, status: 'failed', error, usage: null } });
  else if (!unfinished) events.push({ type: 'response.completed', response: { ...head, status: 'completed', usage } });
  return stream(
    events.map((data, sequence_number) => ({ ...data, sequence_number })),
    true,
  );
}
