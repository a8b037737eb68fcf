import { isJsonObject, parseJson } from '../../base/json.ts';
import type { Fault, FaultCode } from '../../domain/run/event.ts';
import {
  effectiveStatus,
  isErrorValue,
  meaningOf,
  type ProviderError,
  readErrorBody,
  readErrorValue,
} from './provider-error.ts';
import { readRetryAfter, readRetryDelay } from './retry-after.ts';
import { TransportError } from './transport-error.ts';

/** Whom a fault is about, and how it is told. */
export interface FaultContext {
  readonly connection: string;
  /** The model's id within the connection. */
  readonly model: string;
  /** Where it is: scheme, host and path, for messages. */
  readonly address: string;
  readonly hasKey: boolean;
  /** Takes secrets out of a provider's words. */
  readonly redact: (text: string) => string;
  /** Milliseconds since the epoch, for dates in Retry-After. */
  readonly now: () => number;
}

export interface ToldFault {
  readonly fault: Fault;
  readonly retryAfterMs?: number;
}

/** What an error of a provider package looks like; by name, since classes may be there twice. */
interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly statusCode?: number;
  readonly responseHeaders?: Record<string, string>;
  readonly responseBody?: string;
  readonly value?: unknown;
  readonly text?: string;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** Maps whatever a call ended with, thrown or streamed, to one fault. */
export function toFault(error: unknown, context: FaultContext): ToldFault {
  const transport = findTransportError(error);
  if (transport) return transportFault(transport, context);
  if (!(error instanceof Error)) return contentFault(readErrorValue(error), context);
  const sdk = error as unknown as SdkError;
  switch (sdk.name) {
    case 'AI_APICallError':
      return sdk.statusCode !== undefined && sdk.statusCode >= 400
        ? responseFault(sdk, context)
        : badAnswer(causeOf(sdk), context);
    case 'AI_TypeValidationError':
      return isErrorValue(sdk.value)
        ? contentFault(readErrorValue(sdk.value), context)
        : badAnswer(`"${excerpt(sdk.value)}"`, context);
    case 'AI_JSONParseError':
      return badAnswer(`"${excerpt(sdk.text)}"`, context);
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
    case 'AI_NoContentGeneratedError':
      return badAnswer(sdk.message, context);
    case 'AI_LoadAPIKeyError':
      return statusFault({ status: 401, told: false }, readErrorValue(''), context);
    default:
      return { fault: internalFault(error, context) };
  }
}

/** The innermost reason that is told. */
function causeOf(error: SdkError): string {
  let current: unknown = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current instanceof Error ? current.message : error.message;
}

/** The stream ended properly, and the answer had not. */
export function unfinishedFault(context: FaultContext): Fault {
  return cutFault('the stream ended before the answer did', context);
}

export function timeoutFault(milliseconds: number, context: FaultContext): Fault {
  const message = `Connection "${context.connection}" did not finish the call within ${milliseconds / 1000} s: try again, or raise its call time-out.`;
  return { code: 'timeout', message, retryable: true };
}

export function stoppedFault(context: FaultContext): Fault {
  return { code: 'cut', message: `The call to connection "${context.connection}" was stopped.`, retryable: false };
}

function responseFault(error: SdkError, context: FaultContext): ToldFault {
  const body = error.responseBody ?? '';
  const status = error.statusCode ?? 0;
  const told = statusFault({ status, told: true }, readErrorBody(body), context);
  const retryAfterMs = readRetryAfter(error.responseHeaders ?? {}, context.now()) ?? readRetryDelay(body);
  return told.fault.retryable && retryAfterMs !== undefined ? { ...told, retryAfterMs } : told;
}

/** An error told inside a response of status 200. */
function contentFault(error: ProviderError, context: FaultContext): ToldFault {
  const status = error.status ?? meaningOf(error);
  if (status === undefined)
    return badAnswer(error.words ? `it says "${error.words}"` : 'an error without a reason', context);
  return statusFault({ status, told: error.status !== undefined }, error, context);
}

interface StatusMeaning {
  readonly code: FaultCode;
  readonly retryable: boolean;
  /** The sentence; `because` holds the status and the provider's words. */
  readonly say: (context: FaultContext, because: string) => string;
}

const name = (context: FaultContext) => `Connection "${context.connection}"`;

const MEANING_OF_STATUS: Readonly<Record<number, StatusMeaning>> = {
  401: {
    code: 'refused_key',
    retryable: false,
    say: (c, because) =>
      c.hasKey
        ? `${name(c)} refuses its key (${because}): check the key configured for it.`
        : `${name(c)} wants a key and has none (${because}): configure one.`,
  },
  402: {
    code: 'refused_request',
    retryable: false,
    say: (c, because) =>
      `The account behind connection "${c.connection}" has no credit left (${because}): top it up, or use another connection.`,
  },
  403: {
    code: 'refused_key',
    retryable: false,
    say: (c, because) => `${name(c)} does not let its key use model "${c.model}" (${because}): check the key's rights.`,
  },
  404: {
    code: 'unknown_model',
    retryable: false,
    say: (c, because) =>
      `${name(c)} knows no model "${c.model}", or its base URL ${c.address} is wrong (${because}): check both.`,
  },
  408: { code: 'timeout', retryable: true, say: (c, because) => `${name(c)} gave up waiting (${because}): try again.` },
  413: {
    code: 'context_overflow',
    retryable: false,
    say: (c, because) =>
      `The conversation is too long for model "${c.model}" of connection "${c.connection}" (${because}): split the task, or use a model with a larger context.`,
  },
  429: {
    code: 'rate_limited',
    retryable: true,
    say: (c, because) =>
      `${name(c)} limits how much it is asked (${because}): try again later, or run fewer helpers at once.`,
  },
};

const REFUSED: StatusMeaning = {
  code: 'refused_request',
  retryable: false,
  say: (c, because) =>
    `${name(c)} refused the request (${because}): check that model "${c.model}" takes tools and the configured effort.`,
};
const BROKEN: StatusMeaning = {
  code: 'overloaded',
  retryable: true,
  say: (c, because) => `${name(c)} is overloaded or out of order (${because}): try again later.`,
};

interface Received {
  readonly status: number;
  /** The status was told, not concluded from the words. */
  readonly told: boolean;
}

function statusFault({ status: received, told }: Received, error: ProviderError, context: FaultContext): ToldFault {
  const status = effectiveStatus(received, error);
  const known = MEANING_OF_STATUS[status];
  // 409 and 425 say: not now.
  const meaning = known ?? (status >= 500 || status === 409 || status === 425 ? BROKEN : REFUSED);
  const words = context.redact(error.words);
  const because = [told ? `HTTP ${received}` : '', words].filter((part) => part !== '').join(': ') || 'no reason given';
  const fault: Fault = { code: meaning.code, message: meaning.say(context, because), retryable: meaning.retryable };
  return { fault: told ? { ...fault, status: received } : fault };
}

function transportFault(error: TransportError, context: FaultContext): ToldFault {
  const { code = error.message, status, contentType = '', body = '', location = '' } = error.details;
  const told = (faultCode: FaultCode, retryable: boolean, message: string): ToldFault => ({
    fault: { code: faultCode, message, retryable, ...(status === undefined ? {} : { status }) },
  });
  switch (error.kind) {
    case 'unreachable':
      return told(
        'unreachable',
        code !== 'ERR_INVALID_URL',
        `Nothing answers at ${context.address}, connection "${context.connection}" (${code}): check that it runs and that its base URL is right.`,
      );
    case 'tls':
      return told(
        'unreachable',
        false,
        `No secure connection to ${context.address}, connection "${context.connection}" (${code}): check its base URL and certificate.`,
      );
    case 'reset':
      return told('unreachable', true, `${name(context)} closed the line before it answered (${code}): try again.`);
    case 'cut':
      return { fault: cutFault(code, context) };
    case 'redirect':
      return told(
        'refused_request',
        false,
        `${name(context)} redirects to ${context.redact(withoutQuery(location)) || 'an address it does not name'} (HTTP ${status}), which is not followed: set its base URL to the final address.`,
      );
    case 'not_a_stream':
      return notAStream({ contentType, body }, context);
    case 'no_http':
      return badAnswer('no HTTP', context);
    case 'too_large':
      return told(
        'bad_answer',
        false,
        `${name(context)} does not stop sending (${error.message}): use another model or connection.`,
      );
    case 'aborted':
      return { fault: stoppedFault(context) };
  }
}

function notAStream({ contentType, body }: { contentType: string; body: string }, context: FaultContext): ToldFault {
  const parsed = parseJson(body);
  if (parsed.ok && isErrorValue(parsed.value)) return contentFault(readErrorValue(parsed.value), context);
  return badAnswer(
    `${contentType || 'no content type'} in place of an event stream${body ? `: "${excerpt(body)}"` : ''}`,
    context,
  );
}

function badAnswer(what: string, context: FaultContext): ToldFault {
  const message = `${name(context)} sent what is no model answer (${context.redact(what)}): try again; if it stays so, check its base URL ${context.address}.`;
  return { fault: { code: 'bad_answer', message, retryable: true } };
}

function cutFault(why: string, context: FaultContext): Fault {
  return { code: 'cut', message: `${name(context)} broke off within its answer (${why}): try again.`, retryable: true };
}

function internalFault(error: Error, context: FaultContext): Fault {
  return {
    code: 'internal',
    message: `The call to connection "${context.connection}" failed inside Errand (${context.redact(error.message)}): please report this.`,
    retryable: false,
  };
}

function findTransportError(error: unknown): TransportError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++, current = current.cause) {
    if (current instanceof TransportError) return current;
  }
  return undefined;
}

function withoutQuery(url: string): string {
  return url.split(/[?#]/u, 1)[0] ?? '';
}

/** The beginning of what came, on one line. */
function excerpt(value: unknown): string {
  const text =
    typeof value === 'string'
      ? value
      : isJsonObject(value) || Array.isArray(value)
        ? JSON.stringify(value)
        : String(value);
  return text.replace(/\s+/gu, ' ').slice(0, 120);
}
