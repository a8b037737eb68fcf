import type { LanguageModelV4FunctionTool, LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { Message, ToolResult } from '../../domain/run/message.ts';
import type { ModelRequest, ToolDeclaration } from '../../ports/model.ts';
import { type Extra, readExtras } from './extras.ts';

export interface EncodeOptions {
  /** Whose extras are given back. */
  readonly owner: string;
  /** How the provider's API takes the arguments of a past call: as the text that the model wrote, or as an object. */
  readonly args: 'text' | 'object';
  /** The API has no mark for a failed tool call, so the text gets one. */
  readonly markErrors: boolean;
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>;
type AssistantContent = Extract<LanguageModelV4Message, { role: 'assistant' }>['content'];

interface Encoded {
  readonly messages: LanguageModelV4Message[];
  /** How many of the transcript's messages are encoded, and the last of them. */
  count: number;
  last: Message | undefined;
}

/**
 * Encodes transcripts for a provider package. The same messages always give the same prompt. What is encoded is kept
 * per transcript array, so that a call costs what was added since the last one.
 */
export function createPromptEncoder(options: EncodeOptions): (request: ModelRequest) => LanguageModelV4Prompt {
  const known = new WeakMap<readonly Message[], Encoded>();
  return ({ system, messages }) => {
    let encoded = known.get(messages);
    // Only what was appended is new; anything else starts afresh.
    if (!encoded || encoded.count > messages.length || messages[encoded.count - 1] !== encoded.last) {
      encoded = { messages: [], count: 0, last: undefined };
      known.set(messages, encoded);
    }
    for (const message of messages.slice(encoded.count)) {
      const next = encodeMessage(message, options);
      if (next) encoded.messages.push(next);
    }
    encoded.count = messages.length;
    encoded.last = messages.at(-1);
    return system === '' ? encoded.messages.slice() : [{ role: 'system', content: system }, ...encoded.messages];
  };
}

/** Encodes a tool list, once for each array. */
export function createToolEncoder(): (tools: readonly ToolDeclaration[]) => LanguageModelV4FunctionTool[] {
  const known = new WeakMap<readonly ToolDeclaration[], LanguageModelV4FunctionTool[]>();
  return (tools) => {
    let encoded = known.get(tools);
    if (!encoded) {
      encoded = tools.map(({ name, description, parameters }) => {
        // JSON Schema is JSON; the provider's type for it is only narrower than ours.
        return {
          type: 'function',
          name,
          description,
          inputSchema: parameters as LanguageModelV4FunctionTool['inputSchema'],
        };
      });
      known.set(tools, encoded);
    }
    return encoded;
  };
}

function encodeMessage(message: Message, options: EncodeOptions): LanguageModelV4Message | null {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] };
    case 'assistant': {
      const content = encodeAssistant(message, options);
      // Providers refuse a message without content, and it says nothing.
      return content.length > 0 ? { role: 'assistant', content } : null;
    }
    case 'tool':
      return { role: 'tool', content: message.results.map((result) => encodeResult(result, options)) };
  }
}

function encodeAssistant(message: AssistantMessage, options: EncodeOptions): AssistantContent {
  const extras = readExtras(message, options.owner);
  if (extras) return encodeWithExtras(message, extras, options);
  const content: AssistantContent = message.text === '' ? [] : [{ type: 'text', text: message.text }];
  for (const call of message.calls) content.push(encodeCall(call, options));
  return content;
}

function encodeWithExtras(
  message: AssistantMessage,
  extras: readonly Extra[],
  options: EncodeOptions,
): AssistantContent {
  const content: AssistantContent = [];
  let at = 0;
  for (const extra of extras) {
    const more = extra.meta ? { providerOptions: extra.meta } : {};
    if (extra.kind === 'reasoning') content.push({ type: 'reasoning', text: extra.text, ...more });
    else if (extra.kind === 'text') {
      content.push({ type: 'text', text: message.text.slice(at, at + extra.length), ...more });
      at += extra.length;
    } else {
      const call = message.calls[extra.index];
      if (call) content.push({ ...encodeCall(call, options), ...more });
    }
  }
  return content;
}

function encodeCall(call: AssistantMessage['calls'][number], options: EncodeOptions) {
  const input = options.args === 'text' ? toObjectText(call.args) : toObject(call.args);
  return { type: 'tool-call' as const, toolCallId: call.call_id, toolName: call.name, input };
}

/** Servers and templates expect an object: broken arguments go back as its one field `unreadable`. */
function toObject(args: string): JsonObject {
  const parsed = parseJson(args === '' ? '{}' : args);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : { unreadable: args };
}

/** Arguments that are an object stay as the model wrote them, byte for byte. */
function toObjectText(args: string): string {
  const parsed = parseJson(args);
  return parsed.ok && isJsonObject(parsed.value) ? args : JSON.stringify(toObject(args));
}

function encodeResult({ call_id, name, text, error }: ToolResult, { markErrors }: EncodeOptions) {
  const value = error && markErrors && !/^error\b/iu.test(text) ? `Error: ${text}` : text;
  const type = error ? ('error-text' as const) : ('text' as const);
  return { type: 'tool-result' as const, toolCallId: call_id, toolName: name, output: { type, value } };
}
