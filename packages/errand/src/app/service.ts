import { dirname } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { messageOf } from '../base/errors.ts';
import { createSystemClock } from '../host/clock.ts';
import { createModels } from '../models/index.ts';
import { createOfflineModel } from '../models/offline/index.ts';
import type { Connection } from '../ports/model.ts';
import type { Runtime } from '../ports/runtime.ts';
import { openSqliteJournal } from '../stores/sqlite/journal.ts';
import type { Settings } from './config/settings.ts';
import { tidied } from './retention.ts';
import { createStoreCare, type StoreCare } from './store-care.ts';
import { wire } from './wire.ts';

/** An instance over the person's own store. */
export interface Service {
  readonly runtime: Runtime;
  readonly store: StoreCare;
  close(): Promise<void>;
}

export interface ServiceOptions {
  /** `read`: starts nothing, and makes no store where there is none. */
  readonly mode: 'run' | 'read';
}

/** Opens the store and puts the instance together. Throws CodedError<JournalErrorCode> when the store cannot be had. */
export async function openService(settings: Settings, options: ServiceOptions): Promise<Service> {
  const clock = createSystemClock();
  const journal = openSqliteJournal({
    clock,
    folder: dirname(settings.paths.store),
    mode: options.mode === 'read' ? 'read' : 'write',
  });
  try {
    const models = modelsOf(settings.connections, clock);
    const wired = await wire({ journal, models, limits: settings.limits, mode: options.mode, clock });
    const { retention } = settings;
    const runtime = options.mode === 'run' ? tidied(wired, { journal, retention, clock }) : wired;
    return { runtime, store: createStoreCare(journal, settings.paths.store), close: () => runtime.close() };
  } catch (error) {
    await journal.close().catch(() => {});
    throw error instanceof Error ? error : new Error(messageOf(error));
  }
}

const OFFLINE: Connection = {
  name: 'offline',
  kind: 'offline',
  baseUrl: null,
  apiKey: null,
  headers: {},
  callTimeoutMs: 600_000,
};

/** The models of these connections, the offline one always among them. */
export function modelsOf(connections: readonly Connection[], clock: Clock) {
  const all = connections.some((connection) => connection.name === OFFLINE.name)
    ? connections
    : [...connections, OFFLINE];
  return createModels(all, createOfflineModel, clock);
}
