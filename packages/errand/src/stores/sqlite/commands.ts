import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { Command } from '../../ports/journal.ts';
import { guarded } from '../shared/listeners.ts';
import type { DatabaseSync } from './module.ts';
import { watchPath } from './watch.ts';
import type { WriteQueue } from './write-queue.ts';

interface CommandRow {
  readonly id: number;
  readonly data: string;
}

export interface CommandsOptions {
  readonly database: DatabaseSync;
  readonly queue: WriteQueue;
  readonly folder: string;
  readonly clock: Clock;
}

interface Listening {
  readonly bootId: string;
  readonly take: () => void;
  readonly stop: () => void;
}

/** What is asked of processes: a row each, and a file per process whose writing wakes it. */
export class Commands {
  readonly #folder: string;
  readonly #queue: WriteQueue;
  readonly #clock: Clock;
  readonly #listening = new Set<Listening>();
  readonly #insert;
  readonly #select;
  readonly #delete;
  readonly #deleteAll;

  constructor({ database, queue, folder, clock }: CommandsOptions) {
    this.#folder = join(folder, 'wake');
    this.#queue = queue;
    this.#clock = clock;
    this.#insert = database.prepare('insert into commands (boot_id, data) values (?, ?)');
    this.#select = database.prepare('select id, data from commands where boot_id = ? order by id');
    this.#delete = database.prepare('delete from commands where id = ?');
    this.#deleteAll = database.prepare('delete from commands where boot_id = ?');
  }

  /** Inside a transaction. */
  add(bootId: string, command: Omit<Command, 'id'>): void {
    this.#insert.run(bootId, JSON.stringify(command));
  }

  /** Forgets what waits for a process. Inside a transaction. */
  forget(bootId: string): void {
    this.#deleteAll.run(bootId);
  }

  receive(bootId: string, listener: (command: Command) => void): () => void {
    this.createWakeFile(bootId);
    const take = () => guarded(() => this.#take(bootId, listener));
    const watching = watchPath(this.#wakeFile(bootId), { clock: this.#clock, changed: take });
    const first = setImmediate(take);
    const listening: Listening = {
      bootId,
      take,
      stop: () => {
        watching.stop();
        clearImmediate(first);
        this.#listening.delete(listening);
      },
    };
    this.#listening.add(listening);
    return listening.stop;
  }

  stop(): void {
    for (const { stop } of [...this.#listening]) stop();
  }

  /** Looks again: whoever left a command may have died before it could wake this process. */
  look(bootId: string): void {
    for (const listening of this.#listening) if (listening.bootId === bootId) listening.take();
  }

  createWakeFile(bootId: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(this.#wakeFile(bootId), 'a', 0o600));
  }

  removeWakeFile(bootId: string): void {
    rmSync(this.#wakeFile(bootId), { force: true });
  }

  /** Best effort: where it fails, the process finds its commands at its next beat. */
  wake(bootId: string): void {
    try {
      writeFileSync(this.#wakeFile(bootId), '.', { flag: 'r+' });
    } catch {
      // Mostly: the process has ended meanwhile, and its commands with it.
    }
  }

  /** Delivers after the commit that removed them, so that none comes twice. */
  #take(bootId: string, listener: (command: Command) => void): void {
    if (!this.#select.get(bootId)) return;
    const take = () => {
      const rows = this.#select.all(bootId) as unknown as CommandRow[];
      for (const { id } of rows) this.#delete.run(id);
      return rows.flatMap(commandOf);
    };
    this.#queue.run(take).then(
      (taken) => {
        for (const command of taken) guarded(() => listener(command));
      },
      (error) => process.emitWarning(error),
    );
  }

  #wakeFile(bootId: string): string {
    return join(this.#folder, encodeURIComponent(bootId));
  }
}

function commandOf({ id, data }: CommandRow): Command[] {
  try {
    return [{ ...JSON.parse(data), id } as Command];
  } catch (error) {
    process.emitWarning(`Command ${id} is damaged and was left out: ${String(error)}`);
    return [];
  }
}
