import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../base/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../base/json.ts';
import type { Reply, Script, ScriptedRequest, ScriptStep } from './script.ts';

/** Decides what a model request is answered with. A rejection is answered with status 400 and its message. */
export type ScriptedHandler = (request: ScriptedRequest) => Reply | Promise<Reply>;

export interface ScriptedServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string;
  readonly port: number;
  /** Every model request so far, in order of arrival. */
  readonly requests: readonly ScriptedRequest[];
  /** Responses under way: asked for and neither ended nor broken off. */
  openStreams(): number;
  openConnections(): number;
  /** Connections accepted since the start. */
  readonly connections: number;
  /** A reply that waits at the gate `name` until the test releases it. */
  hold(name: string, reply: Reply): Reply;
  /** Opens the gate for those who wait and those who come later. */
  release(name: string): void;
  /** Settles once `count` requests wait at the gate. */
  whenHeld(name: string, count?: number): Promise<void>;
  /** Settles once `count` model requests have arrived. */
  whenRequests(count: number): Promise<void>;
  /** Settles once no response is under way. */
  whenIdle(): Promise<void>;
  /** Settles once the condition holds; looked at whenever something happens in the server. */
  until(condition: () => boolean): Promise<void>;
  /** Throws when a scripted list has steps left over. */
  assertFinished(): void;
  /** Breaks off what is open and stops listening. */
  close(): Promise<void>;
}

/**
 * An OpenAI-compatible model on a loopback port that does what the test says, faults included.
 * Model requests are POSTs to any path; `GET …/models` lists `scripted`.
 * `script`: a function per request, or one reply for each request in order.
 */
export async function createScriptedServer(script: ScriptedHandler | readonly Reply[]): Promise<ScriptedServer> {
  const server = new Server(script);
  await server.listen();
  return server;
}

interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
  waiting: number;
}

class Server implements ScriptedServer {
  readonly requests: ScriptedRequest[] = [];
  connections = 0;
  port = 0;
  #script: ScriptedHandler | readonly Reply[];
  #streams = 0;
  #sockets = 0;
  #gates = new Map<string, Gate>();
  #waiters = new Set<() => void>();
  #server = createServer((request, response) => void this.#accept(request, response));

  constructor(script: ScriptedHandler | readonly Reply[]) {
    this.#script = script;
    // Nothing is closed behind a test's back.
    this.#server.keepAliveTimeout = 0;
    this.#server.on('connection', (socket) => {
      this.connections++;
      this.#sockets++;
      socket.setNoDelay(true);
      socket.on('error', () => {});
      socket.on('close', () => {
        this.#sockets--;
        this.#changed();
      });
      this.#changed();
    });
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
        this.port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  openStreams(): number {
    return this.#streams;
  }

  openConnections(): number {
    return this.#sockets;
  }

  hold(name: string, reply: Reply): Reply {
    return (request) => {
      const gate = this.#gate(name);
      gate.waiting++;
      this.#changed();
      const script = reply(request);
      return { ...script, steps: [{ wait: gate.opened }, ...script.steps] };
    };
  }

  release(name: string): void {
    this.#gate(name).open();
  }

  whenHeld(name: string, count = 1): Promise<void> {
    return this.until(() => this.#gate(name).waiting >= count);
  }

  whenRequests(count: number): Promise<void> {
    return this.until(() => this.requests.length >= count);
  }

  whenIdle(): Promise<void> {
    return this.until(() => this.#streams === 0);
  }

  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = () => {
        if (!condition()) return;
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
      check();
    });
  }

  assertFinished(): void {
    if (typeof this.#script === 'function') return;
    const left = this.#script.length - this.requests.length;
    if (left > 0) throw new Error(`The scripted server has ${left} of ${this.#script.length} replies left over.`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  #gate(name: string): Gate {
    const known = this.#gates.get(name);
    if (known) return known;
    const { promise, resolve } = Promise.withResolvers<void>();
    const gate = { opened: promise, open: resolve, waiting: 0 };
    this.#gates.set(name, gate);
    return gate;
  }

  #changed(): void {
    for (const check of [...this.#waiters]) check();
  }

  async #accept(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (incoming.method === 'GET') {
      const known = incoming.url?.endsWith('/models') === true;
      const list = {
        object: 'list',
        data: [{ id: 'scripted', object: 'model', created: 1_700_000_000, owned_by: 'test' }],
      };
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(known ? list : { error: { message: 'There is nothing here.' } }));
      return;
    }
    const gone = new AbortController();
    this.#streams++;
    response.on('error', () => {});
    response.on('close', () => {
      this.#streams--;
      if (!response.writableFinished) gone.abort();
      this.#changed();
    });
    try {
      await this.#answer(incoming, response, gone.signal);
    } catch {
      // The client went away while the script was waiting or sending.
      response.destroy();
    }
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const text = await readAll(incoming);
    const request = toRequest({ incoming, text, n: this.requests.length + 1, signal });
    this.requests.push(request);
    const chosen = this.#choose(request);
    this.#changed();
    const script = await chosen.then(
      (reply) => reply(request),
      (error: unknown) => scriptFailure(messageOf(error)),
    );
    await play(script, response, signal);
  }

  async #choose(request: ScriptedRequest): Promise<Reply> {
    if (typeof this.#script === 'function') return this.#script(request);
    const reply = this.#script[request.n - 1];
    if (!reply) throw new Error(`The script has no reply left for request ${request.n}.`);
    return reply;
  }
}

function scriptFailure(message: string): Script {
  const body = { error: { message: `Scripted server: ${message}`, type: 'script' } };
  return { status: 400, headers: { 'content-type': 'application/json' }, steps: [{ send: JSON.stringify(body) }] };
}

async function play(script: Script, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const gone = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  for (const step of script.steps) {
    if (signal.aborted) return;
    if ('wait' in step) await Promise.race([step.wait, gone]);
    else if ('stall' in step) await gone;
    else if ('destroy' in step) response.destroy();
    else if ('reset' in step) response.socket?.resetAndDestroy();
    else await send(script, step, { response, gone, signal });
  }
  if (!signal.aborted && !response.destroyed) {
    writeHead(script, response);
    response.end();
  }
}

interface Sending {
  readonly response: ServerResponse;
  readonly gone: Promise<void>;
  readonly signal: AbortSignal;
}

async function send(
  script: Script,
  step: Extract<ScriptStep, { send: unknown } | { repeat: string }>,
  sending: Sending,
): Promise<void> {
  const { response, gone, signal } = sending;
  writeHead(script, response);
  if ('send' in step) {
    // A destroyed socket must not take back what was written before.
    await Promise.race([new Promise((resolve) => response.write(step.send, resolve)), gone]);
    return;
  }
  // One piece a turn of the event loop: a stream without end must not keep its reader in the same process from acting.
  const write = () => new Promise((resolve) => response.write(step.repeat, () => setImmediate(resolve)));
  while (!signal.aborted) await Promise.race([write(), gone]);
}

function writeHead(script: Script, response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(script.status ?? 200, script.headers);
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

interface Arrived {
  readonly incoming: IncomingMessage;
  readonly text: string;
  readonly n: number;
  readonly signal: AbortSignal;
}

function toRequest({ incoming, text, n, signal }: Arrived): ScriptedRequest {
  const parsed = parseJson(text);
  const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return {
    n,
    path: incoming.url ?? '',
    headers: incoming.headers,
    text,
    body,
    messages: objectsIn(body.messages),
    tools: objectsIn(body.tools),
    stream: body.stream === true,
    signal,
  };
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
