import type { Clock } from '../../base/clock.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import { Boots } from './boots.ts';
import { Checkpoints } from './checkpoints.ts';
import { Commands } from './commands.ts';
import { Leases } from './leases.ts';
import type { DatabaseSync } from './module.ts';
import { Reader } from './reader.ts';
import { Records } from './records.ts';
import { Retention } from './retention.ts';
import { RunWriter } from './run-writer.ts';
import { UsageTotals } from './usage.ts';
import { WriteQueue } from './write-queue.ts';

/** What belongs to an open database. */
export interface Store {
  readonly database: DatabaseSync;
  readonly reader: Reader;
  readonly records: Records;
  readonly usage: UsageTotals;
  readonly writer: RunWriter;
  readonly queue: WriteQueue;
  readonly boots: Boots;
  readonly leases: Leases;
  readonly commands: Commands;
  readonly retention: Retention;
  readonly checkpoints: Checkpoints;
}

export interface StoreOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly timeout: number;
  readonly committed: (events: readonly RunEvent[]) => void;
}

export function createStore(database: DatabaseSync, options: StoreOptions): Store {
  const { folder, clock } = options;
  const leases = new Leases(database);
  const reader = new Reader(database);
  const records = new Records(database, reader);
  const usage = new UsageTotals({ database, reader, records });
  const writer = new RunWriter(database, leases);
  const checkpoints = new Checkpoints(database, options);
  const queue = new WriteQueue({ ...options, database, writer, written: () => checkpoints.written() });
  return {
    database,
    reader,
    records,
    usage,
    writer,
    queue,
    boots: new Boots(database),
    leases,
    commands: new Commands({ database, queue, folder, clock }),
    retention: new Retention({ database, queue, writer, leases, records, usage }),
    checkpoints,
  };
}
