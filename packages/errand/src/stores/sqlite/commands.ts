import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Boot, Command } from '../../ports/journal.ts';
import { noBoot } from '../shared/faults.ts';
import { guarded } from '../shared/listeners.ts';
import type { DatabaseSync } from './module.ts';
import { watchPath } from './watch.ts';
import type { WriteQueue } from './write-queue.ts';

interface CommandRow {
  readonly id: number;
  readonly data: string;
}

/** Starts of processes and what is asked of them: a row each, and a file per process whose writing wakes it. */
export class Commands {
  readonly #folder: string;
  readonly #queue: WriteQueue;
  /** What ends each listening. */
  readonly #listening = new Set<() => void>();
  readonly #insertBoot;
  readonly #deleteBoot;
  readonly #selectBoot;
  readonly #selectBoots;
  readonly #insertCommand;
  readonly #selectCommands;
  readonly #deleteCommand;
  readonly #deleteCommands;

  constructor(database: DatabaseSync, queue: WriteQueue, folder: string) {
    this.#folder = join(folder, 'wake');
    this.#queue = queue;
    this.#insertBoot = database.prepare(
      'insert or replace into boots (boot_id, pid, process_start, host, started_at) values (?, ?, ?, ?, ?)',
    );
    this.#deleteBoot = database.prepare('delete from boots where boot_id = ?');
    this.#selectBoot = database.prepare('select 1 from boots where boot_id = ?');
    this.#selectBoots = database.prepare('select * from boots order by started_at, boot_id');
    this.#insertCommand = database.prepare('insert into commands (boot_id, data) values (?, ?)');
    this.#selectCommands = database.prepare('select id, data from commands where boot_id = ? order by id');
    this.#deleteCommand = database.prepare('delete from commands where id = ?');
    this.#deleteCommands = database.prepare('delete from commands where boot_id = ?');
  }

  async open({ boot_id, pid, process_start, host, started_at }: Boot): Promise<void> {
    this.#createWakeFile(boot_id);
    await this.#queue.run(() => this.#insertBoot.run(boot_id, pid, process_start, host, started_at));
  }

  async close(bootId: string): Promise<void> {
    await this.#queue.run(() => {
      this.#deleteBoot.run(bootId);
      this.#deleteCommands.run(bootId);
    });
    rmSync(this.#wakeFile(bootId), { force: true });
  }

  boots(): readonly Boot[] {
    return this.#selectBoots.all().map((row) => ({ ...row }) as unknown as Boot);
  }

  async send(bootId: string, command: Omit<Command, 'id'>): Promise<void> {
    await this.#queue.run(() => {
      if (!this.#selectBoot.get(bootId)) throw noBoot(bootId);
      this.#insertCommand.run(bootId, JSON.stringify(command));
    });
    this.#wake(bootId);
  }

  receive(bootId: string, listener: (command: Command) => void): () => void {
    this.#createWakeFile(bootId);
    const take = () => guarded(() => this.#take(bootId, listener));
    const watching = watchPath(this.#wakeFile(bootId), { changed: take });
    const first = setImmediate(take);
    const stop = () => {
      watching.stop();
      clearImmediate(first);
      this.#listening.delete(stop);
    };
    this.#listening.add(stop);
    return stop;
  }

  stop(): void {
    for (const stop of [...this.#listening]) stop();
  }

  /** Delivers after the commit that removed them, so that none comes twice. */
  #take(bootId: string, listener: (command: Command) => void): void {
    if (!this.#selectCommands.get(bootId)) return;
    let taken: Command[] = [];
    const take = () => {
      const rows = this.#selectCommands.all(bootId) as unknown as CommandRow[];
      taken = rows.flatMap(commandOf);
      for (const { id } of rows) this.#deleteCommand.run(id);
    };
    this.#queue.run(take).then(
      () => {
        for (const command of taken) guarded(() => listener(command));
      },
      (error) => process.emitWarning(error),
    );
  }

  #wakeFile(bootId: string): string {
    return join(this.#folder, encodeURIComponent(bootId));
  }

  #createWakeFile(bootId: string): void {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    closeSync(openSync(this.#wakeFile(bootId), 'a', 0o600));
  }

  #wake(bootId: string): void {
    try {
      writeFileSync(this.#wakeFile(bootId), '.', { flag: 'r+' });
    } catch (error) {
      // The process has ended meanwhile, and its commands with it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
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
