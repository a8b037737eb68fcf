import type { Fault } from '../../domain/run/event.ts';
import { badAnswer, cutFault, excerpt, type FaultContext, type ToldFault } from './fault-context.ts';
import { isErrorValue, readErrorBody, readErrorValue } from './provider-error.ts';
import { readRetryAfter, readRetryDelay } from './retry-after.ts';
import { contentFault, statusFault } from './status-fault.ts';
import { TransportError } from './transport-error.ts';
import { transportFault } from './transport-fault.ts';

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

/** The stream ended properly, and the answer had not. */
export function unfinishedFault(context: FaultContext): Fault {
  return cutFault('the stream ended before the answer did', context);
}

export function timeoutFault(milliseconds: number, context: FaultContext): Fault {
  const message = `Connection "${context.connection}" did not finish the call within ${milliseconds / 1000} s: try again, or raise its call time-out.`;
  return { code: 'timeout', message, retryable: true };
}

function responseFault(error: SdkError, context: FaultContext): ToldFault {
  const body = error.responseBody ?? '';
  const status = error.statusCode ?? 0;
  const told = statusFault({ status, told: true }, readErrorBody(body), context);
  const retryAfterMs = readRetryAfter(error.responseHeaders ?? {}, context.now()) ?? readRetryDelay(body);
  return told.fault.retryable && retryAfterMs !== undefined ? { ...told, retryAfterMs } : told;
}

function internalFault(error: Error, context: FaultContext): Fault {
  return {
    code: 'internal',
    message: `The call to connection "${context.connection}" failed inside Errand (${context.redact(error.message)}): please report this.`,
    retryable: false,
  };
}

/** The innermost reason that is told. */
function causeOf(error: SdkError): string {
  let current: unknown = error;
  while (current instanceof Error && current.cause instanceof Error) current = current.cause;
  return current instanceof Error ? current.message : error.message;
}

function findTransportError(error: unknown): TransportError | undefined {
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++, current = current.cause) {
    if (current instanceof TransportError) return current;
  }
  return undefined;
}
