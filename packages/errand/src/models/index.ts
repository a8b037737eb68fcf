import type { Clock } from '../base/clock.ts';
import { CONNECTION_KINDS, type Connection, type Model, type Models } from '../ports/model.ts';
import { anthropic } from './anthropic/anthropic.ts';
import { google } from './google/google.ts';
import { openAI } from './openai/openai.ts';
import { openAICompatible } from './openai-compatible/openai-compatible.ts';
import { createModel, type Provider } from './shared/adapter.ts';

type OnlineKind = Exclude<Connection['kind'], 'offline'>;

const PROVIDERS: Readonly<Record<OnlineKind, (connection: Connection, id: string) => Provider>> = {
  'openai-compatible': openAICompatible,
  openai: openAI,
  anthropic,
  google,
};

const MOST_SHARED = 100;

/**
 * The models behind the configured connections. `offline` makes the built-in model for a connection of that kind.
 * Provider packages are loaded at the first call of a model.
 */
export function createModels(
  connections: readonly Connection[],
  offline: (name: string) => Model | null,
  clock: Clock,
): Models {
  const shared = new SharedModels(clock);
  const connect = (name: string): Awaited<ReturnType<Models['connect']>> => {
    const slash = name.indexOf('/');
    const wanted = slash < 0 ? name : name.slice(0, slash);
    const id = slash < 0 ? '' : name.slice(slash + 1);
    const connection = connections.find((candidate) => candidate.name === wanted);
    if (!connection) return { ok: false, error: unknownConnection(wanted, connections) };
    if (id === '')
      return { ok: false, error: `"${name}" names a connection and no model: write ${connection.name}/<model id>.` };
    if (connection.kind === 'offline') {
      const model = offline(name);
      return model ? { ok: true, value: model } : { ok: false, error: `There is no offline model "${name}".` };
    }
    if (connection.kind === 'openai-compatible' && connection.baseUrl === null) {
      return {
        ok: false,
        error: `Connection "${connection.name}" has no base URL: give it the address of its server, for example http://127.0.0.1:8000/v1.`,
      };
    }
    const unsendable = unsendableOf(connection);
    if (unsendable) return { ok: false, error: unsendable };
    // The credentials of the moment are the model's own from here on.
    const copy = { ...connection, kind: connection.kind, headers: { ...connection.headers } };
    return { ok: true, value: shared.get(copy, id) };
  };
  return { connect: async (name) => connect(name) };
}

/** Models in use, oldest first. A provider's model is dear to make, so that runs with the same connection and id share one. */
class SharedModels {
  #clock: Clock;
  #known = new Map<string, Model>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(connection: Connection & { readonly kind: OnlineKind }, id: string): Model {
    const key = JSON.stringify([connection, id]);
    const known = this.#known.get(key);
    if (known) return known;
    const model = createModel({
      connection,
      id,
      provider: PROVIDERS[connection.kind](connection, id),
      clock: this.#clock,
    });
    this.#known.set(key, model);
    const [oldest] = this.#known.keys();
    // Ids may come from what a model writes: they are not collected without end.
    if (this.#known.size > MOST_SHARED && oldest !== undefined) this.#known.delete(oldest);
    return model;
  }
}

/** Why a key or a header cannot be sent: HTTP carries no line breaks and no characters beyond Latin-1. */
function unsendableOf({ name, apiKey, headers }: Connection): string | null {
  const bad = (value: string) => [...value].some((character) => !/[\t\x20-\x7e\xa0-\xff]/u.test(character));
  if (apiKey !== null && bad(apiKey)) {
    return `The key of connection "${name}" holds a line break or another character that no HTTP header can carry: set it again.`;
  }
  const header = Object.entries(headers).find(([key, value]) => bad(key) || bad(value))?.[0];
  return header === undefined
    ? null
    : `The header ${JSON.stringify(header)} of connection "${name}" cannot be sent as it is: set it again.`;
}

function unknownConnection(wanted: string, connections: readonly Connection[]): string {
  const known = connections.map((connection) => connection.name).join(', ') || 'none';
  const kinds = CONNECTION_KINDS.filter((kind) => kind !== 'offline').join(', ');
  return `There is no connection "${wanted}" (configured: ${known}): name a model as <connection>/<model id>, or add [connections.${wanted}] with its kind (${kinds}) to the configuration.`;
}
