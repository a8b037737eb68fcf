import type { Fault, FaultCode } from '../../domain/run/event.ts';
import { badAnswer, type FaultContext, subject, type ToldFault } from './fault-context.ts';
import { effectiveStatus, meaningOf, type ProviderError } from './provider-error.ts';

interface StatusMeaning {
  readonly code: FaultCode;
  readonly retryable: boolean;
  /** The sentence; `because` holds the status and the provider's words. */
  readonly say: (context: FaultContext, because: string) => string;
}

const MEANING_OF_STATUS: Readonly<Record<number, StatusMeaning>> = {
  401: {
    code: 'refused_key',
    retryable: false,
    say: (c, because) =>
      c.hasKey
        ? `${subject(c)} refuses its key (${because}): check the key configured for it.`
        : `${subject(c)} wants a key and has none (${because}): configure one.`,
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
    say: (c, because) =>
      `${subject(c)} does not let its key use model "${c.model}" (${because}): check the key's rights.`,
  },
  404: {
    code: 'unknown_model',
    retryable: false,
    say: (c, because) =>
      `${subject(c)} knows no model "${c.model}", or its base URL ${c.address} is wrong (${because}): check both.`,
  },
  408: {
    code: 'timeout',
    retryable: true,
    say: (c, because) => `${subject(c)} gave up waiting (${because}): try again.`,
  },
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
      `${subject(c)} limits how much it is asked (${because}): try again later, or run fewer helpers at once.`,
  },
};

const REFUSED: StatusMeaning = {
  code: 'refused_request',
  retryable: false,
  say: (c, because) =>
    `${subject(c)} refused the request (${because}): check that model "${c.model}" takes tools and the configured effort.`,
};
const BROKEN: StatusMeaning = {
  code: 'overloaded',
  retryable: true,
  say: (c, because) => `${subject(c)} is overloaded or out of order (${because}): try again later.`,
};

interface Received {
  readonly status: number;
  /** The status was told, not concluded from the words. */
  readonly told: boolean;
}

/** The fault that a status and a provider's words amount to. */
export function statusFault(
  { status: received, told }: Received,
  error: ProviderError,
  context: FaultContext,
): ToldFault {
  const status = effectiveStatus(received, error);
  const known = MEANING_OF_STATUS[status];
  // 409 and 425 say: not now.
  const meaning = known ?? (status >= 500 || status === 409 || status === 425 ? BROKEN : REFUSED);
  const words = context.redact(error.words);
  const because = [told ? `HTTP ${received}` : '', words].filter((part) => part !== '').join(': ') || 'no reason given';
  const fault: Fault = { code: meaning.code, message: meaning.say(context, because), retryable: meaning.retryable };
  return { fault: told ? { ...fault, status: received } : fault };
}

/** An error told inside a response of status 200. */
export function contentFault(error: ProviderError, context: FaultContext): ToldFault {
  const status = error.status ?? meaningOf(error);
  if (status === undefined)
    return badAnswer(error.words ? `it says "${error.words}"` : 'an error without a reason', context);
  return statusFault({ status, told: error.status !== undefined }, error, context);
}
