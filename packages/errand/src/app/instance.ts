import type { Clock } from '../base/clock.ts';
import { CodedError } from '../base/errors.ts';
import { createSystemClock } from '../host/clock.ts';
import type { Journal } from '../ports/journal.ts';
import { createMemoryJournal } from '../stores/memory/journal.ts';
import { openSqliteJournal } from '../stores/sqlite/journal.ts';
import { checkOptions, checkRequest, connectionFrom, givenRetention, limitsFrom } from './check-options.ts';
import type { Errand, ErrandOptions } from './errand-options.ts';
import { tidied } from './retention.ts';
import { modelsOf } from './service.ts';
import { wire } from './wire.ts';

/** What `createErrand` does, loaded when it is called. */
export async function createInstance(options: ErrandOptions): Promise<Errand> {
  checkOptions(options);
  const { tools, clock = createSystemClock() } = options;
  const limits = limitsFrom(options.limits);
  const connections = (options.connections ?? []).map((connection) =>
    connectionFrom(connection, limits.call_timeout_ms),
  );
  const models = options.models ?? modelsOf(connections, clock);
  const retention = givenRetention(options.retention);
  const journal = journalOf(options, clock);
  const wired = await wire({
    journal,
    models,
    limits,
    mode: 'run',
    clock,
    ...(tools ? { extraTools: tools } : {}),
  }).catch(async (error: unknown) => {
    // A journal of the program's own stays the program's.
    if (!options.journal) await journal.close().catch(() => {});
    throw error;
  });
  const runtime = retention ? tidied(wired, { journal, retention, clock }) : wired;
  let closing: Promise<void> | undefined;
  return {
    ...runtime,
    async start(request) {
      checkRequest(request);
      return runtime.start(request);
    },
    async run(request) {
      checkRequest(request);
      const started = await runtime.start(request);
      if (!started.ok) throw new CodedError(started.error.code, started.error.message);
      return started.value.result;
    },
    close() {
      closing ??= runtime.close();
      return closing;
    },
  };
}

function journalOf(options: ErrandOptions, clock: Clock): Journal {
  const { folder, journal, durability } = options;
  if (journal) return journal;
  return folder ? openSqliteJournal({ folder, clock, ...(durability ? { durability } : {}) }) : createMemoryJournal();
}
