export type TransportErrorKind =
  /** No connection came about: refused, no such host, no route, time-out while connecting. */
  | 'unreachable'
  /** The certificate or the TLS handshake failed. */
  | 'tls'
  /** The connection broke before any byte of a response. */
  | 'reset'
  /** The connection broke within the response. */
  | 'cut'
  /** What came is no HTTP. */
  | 'no_http'
  | 'redirect'
  /** Status 2xx, but no event stream. */
  | 'not_a_stream'
  /** More bytes than any answer has. */
  | 'too_large'
  | 'aborted';

export interface TransportErrorDetails {
  /** The system's code, such as ECONNREFUSED. */
  readonly code?: string;
  readonly status?: number;
  readonly contentType?: string;
  /** The beginning of what came. */
  readonly body?: string;
  /** Where a redirect points. */
  readonly location?: string;
  readonly cause?: unknown;
}

/** What went wrong below the model protocol. */
export class TransportError extends Error {
  readonly kind: TransportErrorKind;
  readonly details: TransportErrorDetails;

  constructor(kind: TransportErrorKind, message: string, details: TransportErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'TransportError';
    this.kind = kind;
    this.details = details;
  }
}

/** Reads an error of `node:http` before a response (`begun` false) or within it. */
export function toTransportError(error: unknown, begun: boolean): TransportError {
  if (error instanceof TransportError) return error;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : String(error);
  const details = { cause: error, ...(code ? { code } : {}) };
  if (begun) return new TransportError(code.startsWith('HPE_') ? 'no_http' : 'cut', message, details);
  return new TransportError(kindOf(code), message, details);
}

function kindOf(code: string): TransportErrorKind {
  if (code.startsWith('HPE_')) return 'no_http';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED') return 'reset';
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/u.test(code) || code === 'EPROTO') return 'tls';
  return 'unreachable';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) ? codeOf(errors[0]) : '';
}
