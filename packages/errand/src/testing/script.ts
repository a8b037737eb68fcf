import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../base/json.ts';
import type { Finish, ToolCall } from '../domain/run/message.ts';

/** A request as the scripted server read it. */
export interface ScriptedRequest {
  /** 1 for the first model request. */
  readonly n: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it came; `body` is the same, parsed (empty when it was no JSON object). */
  readonly text: string;
  readonly body: JsonObject;
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  readonly stream: boolean;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

/** One thing that the server does with a response, in order. */
export type ScriptStep =
  | { readonly send: string | Uint8Array }
  /** Waits, before the head when it comes first. */
  | { readonly wait: Promise<unknown> }
  /** Sends the text again and again until the client goes away. */
  | { readonly repeat: string }
  /** Sends nothing more and stays open until the client goes away. */
  | { readonly stall: true }
  /** Closes the socket. */
  | { readonly destroy: true }
  /** Closes the socket with a reset, which may overtake what was sent before. */
  | { readonly reset: true };

/** A response: what follows the last step is a proper end. */
export interface Script {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly ScriptStep[];
}

/** What a request is answered with. */
export type Reply = (request: ScriptedRequest) => Script;

export interface AnswerOptions {
  readonly text?: string;
  /** `call_id` defaults to `call_<n>_<index>`; objects are written as JSON, texts as they are. */
  readonly calls?: readonly { readonly name: string; readonly args: JsonObject | string; readonly call_id?: string }[];
  /** Default: tool_calls when there are calls, else stop. */
  readonly finish?: Finish;
  /** Null: the server tells nothing. */
  readonly usage?: {
    readonly input: number;
    readonly output: number;
    readonly cached?: number;
    readonly reasoning?: number;
  } | null;
  readonly reasoning?: string;
  /** In how many pieces the text is streamed; default 3. */
  readonly chunks?: number;
  readonly model?: string;
}

const EVENT_STREAM = { 'content-type': 'text/event-stream; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };
const WIRE_FINISH: Record<Finish, string> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
  other: 'something_else',
};

/** A whole answer, streamed or not as the request asks. */
export function answer(options: AnswerOptions = {}): Reply {
  return (request) => {
    if (!request.stream) return { headers: JSON_TYPE, steps: [{ send: JSON.stringify(completion(options, request)) }] };
    const events = [...contentEvents(options, request), ...endEvents(options)];
    return { headers: EVENT_STREAM, steps: [...events.map(toStep), { send: 'data: [DONE]\n\n' }] };
  };
}

/** Sends nothing, not even a head, until `until` settles (then the answer follows) or the client goes away. */
export function hang(until?: Promise<unknown>, then: Reply = answer({ text: 'late' })): Reply {
  if (!until) return () => ({ steps: [{ stall: true }] });
  return (request) => {
    const script = then(request);
    return { ...script, steps: [{ wait: until }, ...script.steps] };
  };
}

/** Streams some text, then nothing more. */
export function stallAfter(text: string): Reply {
  return (request) => ({ headers: EVENT_STREAM, steps: [...textSteps(text, request), { stall: true }] });
}

/**
 * Streams some text, then destroys the socket; with an empty text before any byte of a response. On a connection that
 * was used before, a client may take that for a race and ask once more.
 */
export function cutAfter(text: string): Reply {
  return (request) => ({
    headers: EVENT_STREAM,
    steps: [...(text ? textSteps(text, request) : []), { destroy: true }],
  });
}

/** Like `cutAfter`, with a TCP reset. */
export function resetAfter(text: string): Reply {
  return (request) => ({
    headers: EVENT_STREAM,
    steps: [...(text ? textSteps(text, request) : []), { reset: true }],
  });
}

/** Streams some text and ends the response properly, without a finish reason or an end mark. */
export function endWithoutFinish(text: string): Reply {
  return (request) => ({ headers: EVENT_STREAM, steps: textSteps(text, request) });
}

/** An answer with this status; objects are sent as JSON. */
export function status(
  code: number,
  body: JsonObject | string = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return () => ({ status: code, headers: { ...JSON_TYPE, ...headers }, steps: [{ send: text }] });
}

/** Status 200 and an event stream of exactly this (or these, sent one by one). */
export function malformed(
  pieces: string | readonly (string | Uint8Array)[],
  headers: Readonly<Record<string, string>> = EVENT_STREAM,
): Reply {
  const steps = (typeof pieces === 'string' ? [pieces] : pieces).map((send) => ({ send }));
  return () => ({ headers, steps });
}

/** Streams text for ever. */
export function endless(text = 'again '): Reply {
  return (request) => ({
    headers: EVENT_STREAM,
    steps: [...textSteps(text, request), { repeat: event(delta({ content: text })) }],
  });
}

/** One event of an event stream. */
export function event(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function toStep(data: JsonObject): ScriptStep {
  return { send: event(data) };
}

function textSteps(text: string, request: ScriptedRequest): ScriptStep[] {
  return contentEvents({ text, chunks: 1 }, request).map(toStep);
}

function chunk(choices: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'scripted',
    choices,
    ...more,
  };
}

function delta(content: JsonObject, finish: string | null = null): JsonObject {
  return chunk([{ index: 0, delta: content, finish_reason: finish }]);
}

function contentEvents(options: AnswerOptions, request: ScriptedRequest): JsonObject[] {
  const events = [delta({ role: 'assistant', content: '' })];
  if (options.reasoning) events.push(delta({ reasoning_content: options.reasoning }));
  for (const piece of cut(options.text ?? '', options.chunks ?? 3)) events.push(delta({ content: piece }));
  for (const [index, call] of callsOf(options, request).entries()) {
    const half = Math.ceil(call.args.length / 2);
    const head = { index, id: call.call_id, type: 'function', function: { name: call.name, arguments: '' } };
    events.push(delta({ tool_calls: [head] }));
    for (const part of [call.args.slice(0, half), call.args.slice(half)]) {
      if (part) events.push(delta({ tool_calls: [{ index, function: { arguments: part } }] }));
    }
  }
  return options.model ? events.map((data) => ({ ...data, model: options.model ?? '' })) : events;
}

function endEvents(options: AnswerOptions): JsonObject[] {
  const end = delta({}, finishOf(options));
  const usage = usageOf(options);
  return usage ? [end, chunk([], { usage })] : [end];
}

function completion(options: AnswerOptions, request: ScriptedRequest): JsonObject {
  const calls = callsOf(options, request).map((call) => ({
    id: call.call_id,
    type: 'function',
    function: { name: call.name, arguments: call.args },
  }));
  const message = {
    role: 'assistant',
    content: options.text ?? '',
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    id: 'chatcmpl-scripted',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: options.model ?? 'scripted',
    choices: [{ index: 0, message, finish_reason: finishOf(options) }],
    usage: usageOf(options),
  };
}

function callsOf(options: AnswerOptions, request: ScriptedRequest): ToolCall[] {
  return (options.calls ?? []).map((call, index) => ({
    call_id: call.call_id ?? `call_${request.n}_${index}`,
    name: call.name,
    args: typeof call.args === 'string' ? call.args : JSON.stringify(call.args),
  }));
}

function finishOf(options: AnswerOptions): string {
  return WIRE_FINISH[options.finish ?? (options.calls?.length ? 'tool_calls' : 'stop')];
}

function usageOf(options: AnswerOptions): JsonObject | null {
  if (options.usage === null) return null;
  const { input, output, cached = 0, reasoning = 0 } = options.usage ?? { input: 10, output: 5 };
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function cut(text: string, pieces: number): string[] {
  const characters = [...text];
  const size = Math.max(1, Math.ceil(characters.length / pieces));
  const result: string[] = [];
  for (let at = 0; at < characters.length; at += size) result.push(characters.slice(at, at + size).join(''));
  return result;
}
