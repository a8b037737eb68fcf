import type { Json, JsonObject } from '../base/json.ts';
import type { Fault } from '../domain/run/event.ts';
import type { Finish, Message, ToolCall } from '../domain/run/message.ts';
import type { Usage } from '../domain/run/usage.ts';

/** A tool as a model is told about it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: JsonObject;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Empty: no tool is on offer. The same array object stands for the same bytes. */
  readonly tools: readonly ToolDeclaration[];
  /** Null: the provider's default. */
  readonly effort: string | null;
}

/** What a call tells while it runs. */
export interface ModelObserver {
  /** More of the answer's text. */
  text(delta: string): void;
  /** Any other sign of life: reasoning, tool arguments, pings. */
  alive(): void;
}

export interface ModelAnswer {
  readonly kind: 'answer';
  readonly text: string;
  /** Each with an id of its own. */
  readonly calls: readonly ToolCall[];
  readonly finish: Finish;
  /** Null: the provider did not tell. */
  readonly usage: Usage | null;
  readonly modelUsed: string | null;
  readonly extras?: Json;
}

/** A call that did not end well; what was written up to then was told to the observer. */
export interface ModelFault {
  readonly kind: 'fault';
  readonly fault: Fault;
  readonly usage: Usage | null;
  /** Milliseconds that the provider asks to wait, where it does. */
  readonly retryAfterMs?: number;
}

export type ModelOutcome = ModelAnswer | ModelFault;

/**
 * One model of one connection, holding its own credentials.
 * `call` never rejects for what a provider does: that is a fault. After an abort it returns soon,
 * with any outcome, and leaves no stream open.
 */
export interface Model {
  /** `<connection>/<id>`. */
  readonly name: string;
  /** Tokens of its context window; left out: not known. */
  readonly window?: number;
  call(request: ModelRequest, observer: ModelObserver, signal: AbortSignal): Promise<ModelOutcome>;
}

export interface Models {
  /** The model behind `<connection>/<id>` with its credentials copied, or why there is none, in one sentence that says what to do. */
  connect(name: string): Promise<{ ok: true; value: Model } | { ok: false; error: string }>;
}

export const CONNECTION_KINDS = ['openai-compatible', 'openai', 'anthropic', 'google', 'offline'] as const;

/** How to reach one provider. Never journaled, never logged: it may hold a key. */
export interface Connection {
  readonly name: string;
  readonly kind: (typeof CONNECTION_KINDS)[number];
  /** Null: the provider's own address. */
  readonly baseUrl: string | null;
  /** Null: none is sent. */
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Bound of one call in milliseconds: the whole call, and silence within it. */
  readonly callTimeoutMs: number;
  /** Tokens of the context window of its models; left out: not known. */
  readonly contextWindow?: number;
}
