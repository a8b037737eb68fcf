import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { tellLife } from './life-signs.ts';
import { type BodyFilter, ResponseBody } from './response-body.ts';
import { TransportError, toTransportError } from './transport-error.ts';

/** What the provider packages call `fetch`. */
export type Fetch = typeof globalThis.fetch;

export interface TransportOptions {
  /** Sent with every request; they win over those of the provider package. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Most bytes of one event stream. */
  readonly maxBytes?: number;
  /** Makes the filter that event streams go through. */
  readonly filter?: () => BodyFilter;
}

/** 64 MB: the longest answers of today's models have a tenth of it. */
const MAX_STREAM_BYTES = 64 * 1024 * 1024;
/** Of an error's body, or of what is no event stream. */
const MAX_OTHER_BYTES = 64 * 1024;
/** Free sockets are dropped before the usual gateways forget them. */
const FREE_SOCKET_MS = 30_000;

const AGENT_OPTIONS = {
  keepAlive: true,
  maxSockets: Number.POSITIVE_INFINITY,
  maxFreeSockets: 4096,
  scheduling: 'lifo',
  timeout: FREE_SOCKET_MS,
} as const;
const SCHEMES = {
  'http:': { request: httpRequest, pool: new HttpAgent(AGENT_OPTIONS), fresh: new HttpAgent() },
  'https:': { request: httpsRequest, pool: new HttpsAgent(AGENT_OPTIONS), fresh: new HttpsAgent() },
};
type Scheme = (typeof SCHEMES)[keyof typeof SCHEMES];

interface Target {
  readonly url: string;
  readonly scheme: Scheme;
  readonly options: { readonly hostname: string; readonly port: string; readonly path: string };
}

interface Exchange {
  readonly target: Target;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly signal: AbortSignal | null;
  readonly options: TransportOptions;
}

/**
 * A `fetch` for model calls over `node:http` with pooled connections. It POSTs a text, follows no redirect, knows no
 * proxy, and rejects with a TransportError. The response has what the provider packages read: `ok`, `status`,
 * `statusText`, `headers` and a body with a reader. On an abort the socket is destroyed at once, within a stream as well.
 */
export function createTransport(options: TransportOptions = {}): Fetch {
  // One connection has one address; only the model's name in some paths differs.
  let last: Target | null = null;
  return async (input, init) => {
    const url = String(input);
    if (last?.url !== url) last = parseTarget(url);
    const body = init?.body;
    if (typeof body !== 'string') throw new TypeError('The model transport sends texts only.');
    const headers = { ...(init?.headers as Record<string, string>), ...options.headers };
    headers['content-length'] = String(Buffer.byteLength(body));
    const response = await exchange({ target: last, headers, body, signal: init?.signal ?? null, options });
    return response as unknown as Response;
  };
}

function parseTarget(url: string): Target {
  const parsed = URL.parse(url);
  const scheme = parsed ? SCHEMES[parsed.protocol as keyof typeof SCHEMES] : undefined;
  if (!parsed || !scheme)
    throw new TransportError('unreachable', 'the base URL is no http or https address', { code: 'ERR_INVALID_URL' });
  const hostname = parsed.hostname.replace(/^\[|\]$/gu, '');
  return { url, scheme, options: { hostname, port: parsed.port, path: parsed.pathname + parsed.search } };
}

/** The part of a fetch Response that is in use. */
interface TransportResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly headers: Map<string, string>;
  readonly body: ResponseBody;
}

async function exchange(given: Exchange): Promise<TransportResponse> {
  const response = await send(given);
  const { status, headers, body } = response;
  if (status >= 300 && status < 400) {
    await body.cancel();
    throw new TransportError('redirect', 'redirected', { status, location: headers.get('location') ?? '' });
  }
  if (response.ok && !isEventStream(headers)) {
    const contentType = headers.get('content-type') ?? '';
    throw new TransportError('not_a_stream', 'no event stream', { status, contentType, body: await readText(body) });
  }
  return response;
}

/** Settles with the head of the response. A pooled socket that its server has just closed is replaced once. */
function send(given: Exchange): Promise<TransportResponse> {
  const { target, headers, body, signal } = given;
  return new Promise((resolve, reject) => {
    let current: ClientRequest | undefined;
    const stop = () => current?.destroy(abortError());
    const attempt = (agent: HttpAgent) => {
      const request = target.scheme.request({ ...target.options, method: 'POST', headers, agent });
      let answered: TransportResponse | undefined;
      current = request;
      request.on('response', (incoming) => {
        signal?.removeEventListener('abort', stop);
        // At once: what happens to the response must find somebody who listens.
        answered = openResponse(incoming, given);
        resolve(answered);
      });
      request.on('error', (error) => {
        if (answered) {
          answered.body.fail(toTransportError(error, true));
          return;
        }
        const failure = toTransportError(error, false);
        if (failure.kind === 'reset' && request.reusedSocket && agent !== target.scheme.fresh) {
          attempt(target.scheme.fresh);
          return;
        }
        signal?.removeEventListener('abort', stop);
        reject(failure);
      });
      request.end(body);
    };
    if (signal?.aborted) {
      reject(abortError());
      return;
    }
    signal?.addEventListener('abort', stop);
    attempt(target.scheme.pool);
  });
}

function openResponse(incoming: IncomingMessage, { signal, options }: Exchange): TransportResponse {
  const { statusCode: status = 0, statusMessage: statusText = '' } = incoming;
  const headers = readHeaders(incoming);
  const ok = status >= 200 && status < 300;
  const streams = ok && isEventStream(headers);
  const stop = () => body.fail(abortError());
  const body = new ResponseBody(incoming, {
    maxBytes: streams ? (options.maxBytes ?? MAX_STREAM_BYTES) : MAX_OTHER_BYTES,
    cutQuietly: !streams,
    filter: streams ? (options.filter?.() ?? null) : null,
    onPiece: () => tellLife(signal),
    onClose: () => signal?.removeEventListener('abort', stop),
  });
  signal?.addEventListener('abort', stop);
  return { ok, status, statusText, headers, body };
}

async function readText(body: ResponseBody): Promise<string> {
  let text = '';
  for (let piece = await body.read(); !piece.done; piece = await body.read())
    text += Buffer.from(piece.value).toString('utf8');
  return text;
}

function readHeaders(response: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  const raw = response.rawHeaders;
  for (let at = 0; at + 1 < raw.length; at += 2) headers.set((raw[at] ?? '').toLowerCase(), raw[at + 1] ?? '');
  return headers;
}

/** Some servers name their event stream badly or not at all; JSON and HTML never are one. */
function isEventStream(headers: Map<string, string>): boolean {
  const contentType = headers.get('content-type');
  return !contentType || /^(?:text\/event-stream|text\/plain|(?:application|binary)\/octet-stream)/iu.test(contentType);
}

function abortError(): TransportError {
  return new TransportError('aborted', 'the call was stopped');
}
