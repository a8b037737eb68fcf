import type { Clock } from '../../base/clock.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type {
  Boot,
  Claim,
  ClaimAnswer,
  Command,
  Journal,
  JournalEntry,
  ModelUsage,
  Retained,
  RetentionRule,
  RunFilter,
  UnreadableRun,
} from '../../ports/journal.ts';
import { addressOf, encodeEntries } from '../shared/encode.ts';
import { closed, journalError, noBoot } from '../shared/faults.ts';
import { Listeners } from '../shared/listeners.ts';
import { copyDatabase } from './backup.ts';
import { checkDatabase } from './checkup.ts';
import { journalErrorOf } from './errors.ts';
import { type Connect, openDatabase, openDatabaseToRead } from './open.ts';
import { createStore, type Store } from './store.ts';
import { type Watching, watchCommits } from './watch.ts';

export interface SqliteJournalOptions {
  /** Absolute folder of the store. */
  readonly folder: string;
  readonly clock: Clock;
  /** `normal` (default) survives the end of the process at any moment, `full` also a power cut. */
  readonly durability?: 'normal' | 'full';
  /** `read`: never makes a store; where there is none the journal is empty. Writing is refused. Default `write`. */
  readonly mode?: 'write' | 'read';
  /** Milliseconds to wait for another process before `busy`. Default 5,000. */
  readonly timeout?: number;
  /** Opens SQLite's file; for tests of a disk that fails. */
  readonly connect?: Connect;
}

/** Opens, or makes, the store in a folder. Throws CodedError<JournalErrorCode>. */
export function openSqliteJournal(options: SqliteJournalOptions): Journal {
  return new SqliteJournal(options);
}

class SqliteJournal implements Journal {
  readonly #options: Required<Omit<SqliteJournalOptions, 'connect'>> & { readonly connect?: Connect };
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
    return this.#read(({ records }) => records.record(runId), null);
  }

  async records(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    return this.#read(({ records }) => records.records(filter), []);
  }

  async unreadable(rootId: string): Promise<readonly UnreadableRun[]> {
    return this.#read(({ records }) => records.unreadable(rootId), []);
  }

  async discard(rootId: string, epoch: number): Promise<void> {
    const { queue, writer } = this.#writing();
    return queue.run(() => writer.discard(rootId, epoch), []);
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

  async openBoot(boot: Omit<Boot, 'beats'>): Promise<void> {
    const { queue, boots, commands } = this.#writing();
    this.#attempt(() => commands.createWakeFile(boot.boot_id));
    return queue.run(() => boots.open(boot));
  }

  async closeBoot(bootId: string): Promise<void> {
    const { queue, boots, leases, commands } = this.#writing();
    await queue.run(() => {
      boots.close(bootId);
      leases.releaseAll(bootId);
      commands.forget(bootId);
    }, []);
    this.#attempt(() => commands.removeWakeFile(bootId));
  }

  async beat(bootId: string): Promise<void> {
    const { queue, boots, commands, checkpoints } = this.#writing();
    await queue.run(() => boots.beat(bootId));
    if (this.#closing) return;
    commands.look(bootId);
    checkpoints.beat();
  }

  async claim(claim: Claim): Promise<ClaimAnswer> {
    const { queue, boots, leases } = this.#writing();
    return queue.run(() => leases.claim(claim, (bootId) => boots.get(bootId)));
  }

  async release(rootId: string, bootId: string): Promise<void> {
    const { queue, leases } = this.#writing();
    return queue.run(() => leases.release(rootId, bootId), []);
  }

  async takeSlots(bootId: string, count: number, limit: number): Promise<number> {
    const { queue, boots } = this.#writing();
    return queue.run(() => boots.takeSlots(bootId, count, limit));
  }

  async giveSlots(bootId: string, count: number): Promise<void> {
    const { queue, boots } = this.#writing();
    return queue.run(() => boots.giveSlots(bootId, count));
  }

  async boots(): Promise<readonly Boot[]> {
    return this.#read(({ boots }) => boots.all(), []);
  }

  async sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void> {
    const { queue, boots, commands } = this.#writing();
    await queue.run(() => {
      if (!boots.get(bootId)) throw noBoot(bootId);
      commands.add(bootId, command);
    });
    commands.wake(bootId);
  }

  receiveCommands(bootId: string, listener: (command: Command) => void): () => void {
    const { commands } = this.#writing();
    return this.#attempt(() => commands.receive(bootId, listener));
  }

  async retain(rule: RetentionRule): Promise<Retained> {
    const { retention } = this.#writing();
    return retention.apply(this.#read(() => retention.due(rule), { outdated: [], hidden: [] }));
  }

  async usage(): Promise<readonly ModelUsage[]> {
    return this.#read(({ usage }) => usage.all(), []);
  }

  async check(): Promise<readonly string[]> {
    return this.#read(({ database, reader }) => checkDatabase(database, reader), []);
  }

  async backup(file: string): Promise<void> {
    const { folder, connect } = this.#options;
    this.#reading();
    const source = openDatabaseToRead({ folder, connect });
    if (!source) throw journalError('io', `There is no store in ${folder} to copy.`);
    try {
      await copyDatabase(source, file);
    } catch (error) {
      throw journalErrorOf(error, folder);
    } finally {
      source.close();
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
    store.queue.stop();
    if (this.#options.mode === 'write') store.checkpoints.start();
    // The last one to close removes the log.
    store.database.close();
  }

  /** The open store; null when there is none and reading must not make one. */
  #reading(): Store | null {
    if (this.#closing) throw closed();
    if (this.#store) return this.#store;
    const { folder, mode, connect } = this.#options;
    const database = mode === 'read' ? openDatabaseToRead({ folder, connect }) : openDatabase(this.#options);
    if (!database) return null;
    try {
      this.#store = createStore(database, {
        ...this.#options,
        committed: (events) => this.#listeners.notify(events),
      });
    } catch (error) {
      database.close();
      throw journalErrorOf(error, folder);
    }
    return this.#store;
  }

  #writing(): Store {
    if (this.#options.mode === 'read') throw journalError('read_only', 'This journal was opened for reading only.');
    const store = this.#reading();
    if (!store) throw closed();
    return store;
  }

  #read<Value>(read: (store: Store) => Value, whenNone: Value): Value {
    const store = this.#reading();
    if (!store) return whenNone;
    return this.#attempt(() => {
      store.queue.tidy();
      return read(store);
    });
  }

  #attempt<Value>(act: () => Value): Value {
    try {
      return act();
    } catch (error) {
      throw journalErrorOf(error, this.#options.folder);
    }
  }

  #watch(): void {
    if (this.#watching) return;
    this.#dataVersion = this.#currentVersion();
    const look = () => {
      const version = this.#currentVersion();
      if (version === this.#dataVersion) return false;
      this.#dataVersion = version;
      this.#listeners.notify([]);
      return true;
    };
    this.#watching = watchCommits(this.#options.folder, { clock: this.#options.clock, look });
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
