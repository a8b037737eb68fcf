import { isJsonObject, parseJson } from '../../base/json.ts';
import { firstLine } from '../../base/text.ts';

/** What a provider says went wrong, in whatever shape it says it. */
export interface ProviderError {
  /** Its words for a person, on one line; empty when there are none. */
  readonly words: string;
  /** Its names for the kind of error (code, type, status), lower case, joined by spaces. */
  readonly names: string;
  /** An HTTP status told inside the error. */
  readonly status: number | undefined;
}

const LONGEST = 300;
const NOTHING: ProviderError = { words: '', names: '', status: undefined };

/** Reads the body of an error response, JSON or not. */
export function readErrorBody(body: string): ProviderError {
  const parsed = parseJson(body);
  if (parsed.ok) return readErrorValue(parsed.value);
  // A gateway's page says little; its first words are better than nothing.
  return { ...NOTHING, words: firstLine(body.replace(/<[^>]*>/gu, ' '), LONGEST) };
}

/** Reads `{error: {message, type, code}}`, `{error: "…"}`, `{message}`, `[{error}]` and the bare inner object. */
export function readErrorValue(value: unknown): ProviderError {
  if (Array.isArray(value)) return readErrorValue(value[0]);
  if (typeof value === 'string') return { ...NOTHING, words: firstLine(value, LONGEST) };
  if (!isJsonObject(value)) return NOTHING;
  const inner = value.error ?? value.response;
  if (isJsonObject(inner) || (typeof inner === 'string' && typeof value.message !== 'string')) {
    const found = readErrorValue(inner);
    // Anthropic and Ollama say more outside; `{"type": "error"}` says nothing.
    return { ...found, status: found.status ?? statusOf(value) };
  }
  const message = value.message ?? value.detail ?? value.error_message;
  return {
    words: typeof message === 'string' ? firstLine(message, LONGEST) : '',
    names: [value.code, value.type, value.status, value.error]
      .filter((name) => typeof name === 'string')
      .join(' ')
      .toLowerCase(),
    status: statusOf(value),
  };
}

/** Whether a parsed body or event is an error rather than an answer. */
export function isErrorValue(value: unknown): boolean {
  return isJsonObject(value) && value.error !== undefined && value.error !== null;
}

function statusOf(value: { readonly [key: string]: unknown }): number | undefined {
  for (const key of ['status', 'code', 'statusCode', 'status_code']) {
    const number = Number(value[key]);
    if (Number.isInteger(number) && number >= 400 && number < 600) return number;
  }
  return undefined;
}

/** Names and words of errors that say more than a status does, or come without one; the first that fits counts. */
const MEANINGS: readonly (readonly [RegExp, number])[] = [
  [
    /insufficient_quota|billing_hard_limit|insufficient_balance|credit balance|payment.required|insufficient credit/u,
    402,
  ],
  [
    /context_length|context length|context window|maximum context|prompt is too long|prompt_too_long|too many (?:input )?tokens|token count.*exceeds|reduce the length|request_too_large|maximum prompt length|input is too long/u,
    413,
  ],
  [/rate.?limit|too.many.requests|resource_exhausted|quota|throttl/u, 429],
  [/overloaded|unavailable|capacity|try again later/u, 529],
  [/invalid_api_key|authentication|unauthenticated|unauthorized|invalid api key/u, 401],
  [/permission|forbidden/u, 403],
  [/model_not_found|not_found|no such model|model.*(?:not found|does not exist)/u, 404],
  [/timeout|timed out|deadline/u, 408],
  [/server_error|internal|api_error|upstream|provider returned error|bad gateway/u, 500],
  [/invalid_request|invalid_argument|bad_request|unsupported/u, 400],
];

/** The HTTP status that fits what the error says; undefined when it says nothing known. */
export function meaningOf(error: ProviderError): number | undefined {
  const text = `${error.names} ${error.words.toLowerCase()}`;
  return MEANINGS.find(([pattern]) => pattern.test(text))?.[1];
}

const OVERFLOW = 413;
const NO_CREDIT = 402;

/** The status that counts: the one received, unless the words tell of a full context or an empty account. */
export function effectiveStatus(status: number, error: ProviderError): number {
  const meaning = meaningOf(error);
  if (meaning === OVERFLOW && (status === 400 || status === 422 || status === 413)) return OVERFLOW;
  if (meaning === NO_CREDIT && (status === 400 || status === 403 || status === 429)) return NO_CREDIT;
  return status;
}
