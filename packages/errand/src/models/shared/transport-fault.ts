import { parseJson } from '../../base/json.ts';
import type { FaultCode } from '../../domain/run/event.ts';
import {
  badAnswer,
  cutFault,
  excerpt,
  type FaultContext,
  stoppedFault,
  subject,
  type ToldFault,
} from './fault-context.ts';
import { isErrorValue, readErrorValue } from './provider-error.ts';
import { contentFault } from './status-fault.ts';
import type { TransportError } from './transport-error.ts';

/** The fault that a failure below the model protocol amounts to. */
export function transportFault(error: TransportError, context: FaultContext): ToldFault {
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
      return told('unreachable', true, `${subject(context)} closed the line before it answered (${code}): try again.`);
    case 'cut':
      return { fault: cutFault(code, context) };
    case 'redirect':
      return told(
        'refused_request',
        false,
        `${subject(context)} redirects to ${context.redact(withoutQuery(location)) || 'an address it does not name'} (HTTP ${status}), which is not followed: set its base URL to the final address.`,
      );
    case 'not_a_stream':
      return notAStream({ contentType, body }, context);
    case 'no_http':
      return badAnswer('no HTTP', context);
    case 'too_large':
      return told(
        'bad_answer',
        false,
        `${subject(context)} does not stop sending (${error.message}): use another model or connection.`,
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

function withoutQuery(url: string): string {
  return url.split(/[?#]/u, 1)[0] ?? '';
}
