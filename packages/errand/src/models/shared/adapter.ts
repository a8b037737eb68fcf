import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Clock } from '../../base/clock.ts';
import type { Usage } from '../../domain/run/usage.ts';
import type { Connection, Model, ModelObserver, ModelOutcome, ModelRequest } from '../../ports/model.ts';
import { AnswerCollector } from './answer-collector.ts';
import { CallScope } from './call-scope.ts';
import { createPromptEncoder, createToolEncoder, type EncodeOptions } from './encode.ts';
import { timeoutFault, toFault, unfinishedFault } from './fault.ts';
import { type FaultContext, stoppedFault, type ToldFault } from './fault-context.ts';
import { hearLife } from './life-signs.ts';
import { createRedactor } from './redact.ts';
import { TransportError } from './transport-error.ts';

/** Characters of the longest answer that is taken for one: several times what any model writes. */
const MAX_ANSWER = 2_000_000;

/** What a provider's folder adds to the adapter that all share. */
export interface Provider extends Omit<EncodeOptions, 'owner'> {
  /** Loads the provider's package and makes its model; called at the first call. */
  readonly load: () => Promise<LanguageModelV4>;
  /** Where calls go when the connection names no address. */
  readonly defaultUrl: string;
  /** Sent with every call. */
  readonly options?: Pick<LanguageModelV4CallOptions, 'maxOutputTokens' | 'providerOptions'>;
}

export interface AdapterOptions {
  readonly connection: Connection;
  /** The model's id within the connection. */
  readonly id: string;
  readonly provider: Provider;
  readonly clock: Clock;
}

/** A model of a provider package as our port: one `doStream` per call, without retries. */
export function createModel(options: AdapterOptions): Model {
  return new SdkModel(options);
}

class SdkModel implements Model {
  readonly name: string;
  readonly window?: number;
  #connection: Connection;
  #provider: Provider;
  #clock: Clock;
  #owner: string;
  #context: FaultContext;
  #encodePrompt: ReturnType<typeof createPromptEncoder>;
  #encodeTools = createToolEncoder();
  #loading: Promise<LanguageModelV4> | undefined;

  constructor({ connection, id, provider, clock }: AdapterOptions) {
    this.name = `${connection.name}/${id}`;
    if (connection.contextWindow !== undefined) this.window = connection.contextWindow;
    this.#connection = connection;
    this.#provider = provider;
    this.#clock = clock;
    this.#owner = `${connection.kind}:${connection.name}`;
    this.#encodePrompt = createPromptEncoder({
      owner: this.#owner,
      args: provider.args,
      markErrors: provider.markErrors,
    });
    this.#context = {
      connection: connection.name,
      model: id,
      address: readableAddress(connection.baseUrl ?? provider.defaultUrl),
      hasKey: connection.apiKey !== null,
      redact: createRedactor(secretsOf(connection)),
      now: () => clock.now(),
    };
  }

  async call(request: ModelRequest, observer: ModelObserver, signal: AbortSignal): Promise<ModelOutcome> {
    if (signal.aborted) return { kind: 'fault', fault: stoppedFault(this.#context), usage: null };
    const scope = new CallScope(signal, { clock: this.#clock, timeoutMs: this.#connection.callTimeoutMs });
    hearLife(scope.signal, () => observer.alive());
    const collector = new AnswerCollector(this.#owner, observer);
    let told: ToldFault | undefined;
    try {
      const failure = await this.#stream(request, collector, scope.signal);
      if (failure) told = toFault(failure.error, this.#context);
    } catch (error) {
      told = toFault(error, this.#context);
    }
    const { aborted } = scope.signal;
    const answer = told || aborted ? null : collector.answer();
    scope.close(!answer);
    if (answer) return answer;
    if (scope.timedOut) told = { fault: timeoutFault(this.#connection.callTimeoutMs, this.#context) };
    else if (aborted) told = { fault: stoppedFault(this.#context) };
    return toOutcome(told ?? { fault: unfinishedFault(this.#context) }, collector.usage);
  }

  /** Reads one stream to its end; returns an error that the stream itself told. */
  async #stream(
    request: ModelRequest,
    collector: AnswerCollector,
    signal: AbortSignal,
  ): Promise<{ error: unknown } | null> {
    this.#loading ??= this.#provider.load();
    const model = await this.#loading;
    const { stream } = await model.doStream(this.#toCallOptions(request, signal));
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return null;
      if (value.type !== 'error') {
        collector.add(value);
        if (collector.characters > MAX_ANSWER) {
          return { error: new TransportError('too_large', `more than ${MAX_ANSWER} characters`) };
        }
      } else if (!isMissingEnd(value.error)) {
        // At the end of a stream without an end comes an error without data, and then what usage is known.
        return { error: value.error };
      }
    }
  }

  #toCallOptions(request: ModelRequest, abortSignal: AbortSignal): LanguageModelV4CallOptions {
    const { effort, tools } = request;
    const options: LanguageModelV4CallOptions = {
      prompt: this.#encodePrompt(request),
      abortSignal,
      ...this.#provider.options,
    };
    if (tools.length > 0) options.tools = this.#encodeTools(tools);
    // Levels differ by provider, and a provider says itself which it takes.
    if (effort !== null) options.reasoning = effort as NonNullable<LanguageModelV4CallOptions['reasoning']>;
    return options;
  }
}

/** The key and what headers hold, also without a scheme such as `Bearer`. */
function secretsOf({ apiKey, headers }: Connection): string[] {
  const values = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/u)]);
  return [...(apiKey === null ? [] : [apiKey]), ...values.filter((value) => value.length >= 8)];
}

function isMissingEnd(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.name === 'AI_InvalidResponseDataError' &&
    (error as { data?: unknown }).data === undefined
  );
}

function toOutcome({ fault, retryAfterMs }: ToldFault, usage: Usage | null): ModelOutcome {
  return { kind: 'fault', fault, usage, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** An address for messages: without credentials, query and fragment. */
function readableAddress(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.origin}${parsed.pathname}`.replace(/\/$/u, '') : 'an invalid address';
}
