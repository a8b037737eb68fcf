import type { Clock } from '../base/clock.ts';
import { CodedError } from '../base/errors.ts';
import { DEFAULT_LIMITS } from '../domain/run/limits.ts';
import { createSystemClock } from '../host/clock.ts';
import type { Journal } from '../ports/journal.ts';
import { createMemoryJournal } from '../stores/memory/journal.ts';
import { openSqliteJournal } from '../stores/sqlite/journal.ts';
import type { Errand, ErrandOptions } from './errand-options.ts';
import { modelsOf } from './service.ts';
import { wire } from './wire.ts';

/** What `createErrand` does, loaded when it is called. */
export async function createInstance(options: ErrandOptions): Promise<Errand> {
  const { tools, clock = createSystemClock() } = options;
  const runtime = await wire({
    journal: journalOf(options, clock),
    models: options.models ?? modelsOf(options.connections ?? [], clock),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    mode: 'run',
    clock,
    ...(tools ? { extraTools: tools } : {}),
  });
  return {
    ...runtime,
    async run(request) {
      const started = await runtime.start(request);
      if (!started.ok) throw new CodedError(started.error.code, started.error.message);
      return started.value.result;
    },
  };
}

function journalOf(options: ErrandOptions, clock: Clock): Journal {
  if (options.journal && options.folder) throw new CodedError('options', 'Give "journal" or "folder", not both.');
  if (options.journal) return options.journal;
  return options.folder ? openSqliteJournal({ folder: options.folder, clock }) : createMemoryJournal();
}
