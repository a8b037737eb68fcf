import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { Boot, Command, Journal, JournalEntry, RunFilter } from '../../ports/journal.ts';
import { addressOf, encodeEntries } from '../shared/encode.ts';
import { closed, journalError } from '../shared/faults.ts';
import { Listeners } from '../shared/listeners.ts';
import { Commands } from './commands.ts';
import { journalErrorOf } from './errors.ts';
import type { DatabaseSync } from './module.ts';
import { openDatabase, openDatabaseToRead } from './open.ts';
import { Reader } from './reader.ts';
import { RunWriter } from './run-writer.ts';
import { type Watching, watchCommits } from './watch.ts';
import { WriteQueue } from './write-queue.ts';

export interface SqliteJournalOptions {
  /** Absolute folder of the store. */
  readonly folder: string;
  /** `normal` (default) survives the end of the process at any moment, `full` also a power cut. */
  readonly durability?: 'normal' | 'full';
  /** `read`: never makes a store; where there is none the journal is empty. Writing is refused. Default `write`. */
  readonly mode?: 'write' | 'read';
  /** Milliseconds to wait for another process before `busy`. Default 5,000. */
  readonly timeout?: number;
}

/** Opens, or makes, the store in a folder. Throws CodedError<JournalErrorCode>. */
export function openSqliteJournal(options: SqliteJournalOptions): Journal {
  return new SqliteJournal(options);
}

/** What belongs to an open database. */
interface Store {
  readonly database: DatabaseSync;
  readonly reader: Reader;
  readonly writer: RunWriter;
  readonly queue: WriteQueue;
  readonly commands: Commands;
}

class SqliteJournal implements Journal {
  readonly #options: Required<SqliteJournalOptions>;
  readonly #listeners = new Listeners();
  #store: Store | null = null;
  #watching: Watching | null = null;
  #dataVersion: unknown;
  #closing: Promise<void> | null = null;

  constructor(options: SqliteJournalOptions) {
    this.#options = { durability: 'normal', mode: 'write', timeout: 5_000, ...options };
    this.#reading();
  }

  async append(entries: readonly JournalEntry[]): Promise<void> {
    const { queue, writer } = this.#writing();
    const encoded = encodeEntries(entries);
    return queue.run(
      () => writer.append(encoded),
      encoded.flatMap((entry) => entry.events),
    );
  }

  putBlob(text: string): string {
    const stored = text.toWellFormed();
    const address = addressOf(stored);
    this.#writing().queue.addBlob(address, stored);
    return address;
  }

  async getBlob(address: string): Promise<string | null> {
    return this.#read(({ queue, reader }) => queue.pendingBlob(address) ?? reader.blob(address), null);
  }

  async read(runId: string, after = 0): Promise<readonly RunEvent[]> {
    return this.#read(({ reader }) => reader.read(runId, after), []);
  }

  async record(runId: string): Promise<RunRecord | null> {
    return this.#read(({ reader }) => reader.record(runId), null);
  }

  async records(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    return this.#read(({ reader }) => reader.records(filter), []);
  }

  async discard(rootId: string): Promise<void> {
    const { queue, writer } = this.#writing();
    return queue.run(() => writer.discard(rootId), []);
  }

  observe(listener: (events: readonly RunEvent[]) => void): () => void {
    if (this.#closing) throw closed();
    const remove = this.#listeners.add(listener);
    this.#watch();
    return () => {
      remove();
      if (this.#listeners.size === 0) this.#unwatch();
    };
  }

  async openBoot(boot: Boot): Promise<void> {
    return this.#guard(() => this.#writing().commands.open(boot));
  }

  async closeBoot(bootId: string): Promise<void> {
    return this.#guard(() => this.#writing().commands.close(bootId));
  }

  async boots(): Promise<readonly Boot[]> {
    return this.#read(({ commands }) => commands.boots(), []);
  }

  async sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void> {
    return this.#guard(() => this.#writing().commands.send(bootId, command));
  }

  receiveCommands(bootId: string, listener: (command: Command) => void): () => void {
    const { commands } = this.#writing();
    try {
      return commands.receive(bootId, listener);
    } catch (error) {
      throw journalErrorOf(error, this.#options.folder);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#listeners.clear();
    this.#unwatch();
    const store = this.#store;
    if (!store) return;
    store.commands.stop();
    await store.queue.run(() => {}).catch(() => {});
    // The last one to close moves the log into the database and removes it.
    store.database.close();
  }

  /** The open store; null when there is none and reading must not make one. */
  #reading(): Store | null {
    if (this.#closing) throw closed();
    if (this.#store) return this.#store;
    const { folder, mode } = this.#options;
    const database = mode === 'read' ? openDatabaseToRead(folder) : openDatabase(this.#options);
    if (database) this.#store = this.#storeOf(database);
    return this.#store;
  }

  #writing(): Store {
    if (this.#options.mode === 'read') throw journalError('read_only', 'This journal was opened for reading only.');
    const store = this.#reading();
    if (!store) throw closed();
    return store;
  }

  #storeOf(database: DatabaseSync): Store {
    const { folder, timeout } = this.#options;
    const writer = new RunWriter(database);
    const committed = (events: readonly RunEvent[]) => this.#listeners.notify(events);
    const queue = new WriteQueue({ database, writer, folder, timeout, committed });
    return { database, reader: new Reader(database), writer, queue, commands: new Commands(database, queue, folder) };
  }

  #read<Value>(read: (store: Store) => Value, whenNone: Value): Value {
    const store = this.#reading();
    if (!store) return whenNone;
    try {
      return read(store);
    } catch (error) {
      throw journalErrorOf(error, this.#options.folder);
    }
  }

  async #guard(act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      throw journalErrorOf(error, this.#options.folder);
    }
  }

  #watch(): void {
    if (this.#watching) return;
    this.#dataVersion = this.#currentVersion();
    this.#watching = watchCommits(this.#options.folder, () => {
      const version = this.#currentVersion();
      if (version === this.#dataVersion) return false;
      this.#dataVersion = version;
      this.#listeners.notify([]);
      return true;
    });
  }

  #unwatch(): void {
    this.#watching?.stop();
    this.#watching = null;
  }

  /** Changes when another connection has committed; the same as before when it cannot be read. */
  #currentVersion(): unknown {
    try {
      return this.#read(({ reader }) => reader.dataVersion(), null);
    } catch {
      return this.#dataVersion;
    }
  }
}
