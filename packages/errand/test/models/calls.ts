import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/base/clock.ts';
import type { Message } from '../../src/domain/run/message.ts';
import { createModels } from '../../src/models/index.ts';
import type { Connection, Model, ModelAnswer, ModelFault, ModelOutcome, ModelRequest } from '../../src/ports/model.ts';
import {
  createScriptedServer,
  createTestClock,
  type Reply,
  type ScriptedHandler,
  type ScriptedServer,
} from '../../src/testing/index.ts';

export const KEY = 'sk-FAKE-0123456789abcdef';

export interface ConnectOptions extends Partial<Connection> {
  readonly id?: string;
  readonly clock?: Clock;
}

/** A model behind `<name>/<id>` at this address. Time stands still unless a clock is given. */
export async function connectTo(baseUrl: string, options: ConnectOptions = {}): Promise<Model> {
  const { id = 'm', clock = createTestClock(), ...more } = options;
  const connection: Connection = {
    name: 'mock',
    kind: 'openai-compatible',
    baseUrl,
    apiKey: KEY,
    headers: {},
    callTimeoutMs: 600_000,
    ...more,
  };
  const connected = await createModels([connection], () => null, clock).connect(`${connection.name}/${id}`);
  if (!connected.ok) throw new Error(connected.error);
  return connected.value;
}

/** A scripted server, closed after the test, and a model that talks to it. */
export async function serve(
  script: ScriptedHandler | readonly Reply[],
  options: ConnectOptions = {},
): Promise<{ server: ScriptedServer; model: Model }> {
  const server = await createScriptedServer(script);
  onTestFinished(() => server.close());
  return { server, model: await connectTo(server.url, options) };
}

export const HELLO: readonly Message[] = [{ role: 'user', text: 'hello' }];

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return { system: 'Be brief.', messages: HELLO, tools: [], effort: null, ...more };
}

export interface Watched {
  readonly outcome: Promise<ModelOutcome>;
  /** What the observer was told so far. */
  readonly seen: { text: string; alive: number };
  /** Settles once the observer has been told this text. */
  whenText(text: string): Promise<void>;
}

/** Starts a call and watches it. */
export function watch(model: Model, given: Partial<ModelRequest> = {}, signal = new AbortController().signal): Watched {
  const seen = { text: '', alive: 0 };
  const waiters = new Set<() => void>();
  const observer = {
    text(delta: string) {
      seen.text += delta;
      for (const check of [...waiters]) check();
    },
    alive() {
      seen.alive++;
    },
  };
  const whenText = (text: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!seen.text.includes(text)) return;
        waiters.delete(check);
        resolve();
      };
      waiters.add(check);
      check();
    });
  return { outcome: model.call(request(given), observer, signal), seen, whenText };
}

export async function answerOf(model: Model, given: Partial<ModelRequest> = {}): Promise<ModelAnswer> {
  const outcome = await watch(model, given).outcome;
  if (outcome.kind !== 'answer') throw new Error(`no answer but ${JSON.stringify(outcome)}`);
  return outcome;
}

export async function faultOf(model: Model, given: Partial<ModelRequest> = {}): Promise<ModelFault> {
  const outcome = await watch(model, given).outcome;
  if (outcome.kind !== 'fault') throw new Error(`no fault but ${JSON.stringify(outcome)}`);
  return outcome;
}

/** The transcript with this answer and a result for each of its calls. */
export function continued(messages: readonly Message[], answer: ModelAnswer, result = 'done'): Message[] {
  const { text, calls, extras } = answer;
  const said: Message = { role: 'assistant', text, calls, ...(extras === undefined ? {} : { extras }) };
  const results = calls.map(({ call_id, name }) => ({ call_id, name, text: result, error: false }));
  return calls.length > 0 ? [...messages, said, { role: 'tool', results }] : [...messages, said];
}

export const TOOLS = [
  {
    name: 'read',
    description: 'Reads a file.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
  { name: 'list', description: 'Lists a folder.', parameters: { type: 'object', properties: {} } },
] as const;
