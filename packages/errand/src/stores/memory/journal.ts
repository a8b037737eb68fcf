import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { Boot, Command, Journal, JournalEntry, RunFilter } from '../../ports/journal.ts';
import { addressOf, encodeEntries } from '../shared/encode.ts';
import { closed, noBoot } from '../shared/faults.ts';
import { Listeners } from '../shared/listeners.ts';
import { Commands } from './commands.ts';
import { Runs } from './runs.ts';

/** A journal that ends with the process: for tests, and for runs that nobody wants to keep. */
export function createMemoryJournal(): Journal {
  return new MemoryJournal();
}

interface Job {
  /** Returns what the listeners are told; null: nothing. */
  run(): readonly RunEvent[] | null;
  resolve(): void;
  reject(error: unknown): void;
}

class MemoryJournal implements Journal {
  readonly #runs = new Runs();
  readonly #blobs = new Map<string, string>();
  readonly #commands = new Commands();
  readonly #listeners = new Listeners();
  #jobs: Job[] = [];
  #closed = false;

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.#check();
    const encoded = encodeEntries(entries);
    return this.#enqueue(() => {
      this.#runs.append(encoded);
      return encoded.flatMap((entry) => entry.events);
    });
  }

  putBlob(text: string): string {
    this.#check();
    const stored = text.toWellFormed();
    const address = addressOf(stored);
    this.#blobs.set(address, stored);
    return address;
  }

  async getBlob(address: string): Promise<string | null> {
    this.#check();
    return this.#blobs.get(address) ?? null;
  }

  async read(runId: string, after = 0): Promise<readonly RunEvent[]> {
    this.#check();
    return this.#runs.read(runId, after);
  }

  async record(runId: string): Promise<RunRecord | null> {
    this.#check();
    return this.#runs.record(runId);
  }

  async records(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    this.#check();
    return this.#runs.records(filter);
  }

  async discard(rootId: string): Promise<void> {
    this.#check();
    return this.#enqueue(() => {
      this.#runs.discard(rootId);
      return [];
    });
  }

  observe(listener: (events: readonly RunEvent[]) => void): () => void {
    this.#check();
    return this.#listeners.add(listener);
  }

  async openBoot(boot: Boot): Promise<void> {
    this.#check();
    return this.#enqueue(() => {
      this.#commands.open(boot);
      return null;
    });
  }

  async closeBoot(bootId: string): Promise<void> {
    this.#check();
    return this.#enqueue(() => {
      this.#commands.close(bootId);
      return null;
    });
  }

  async boots(): Promise<readonly Boot[]> {
    this.#check();
    return this.#commands.boots();
  }

  async sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void> {
    this.#check();
    return this.#enqueue(() => {
      if (!this.#commands.send(bootId, command)) throw noBoot(bootId);
      return null;
    });
  }

  receiveCommands(bootId: string, listener: (command: Command) => void): () => void {
    this.#check();
    return this.#commands.receive(bootId, listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await new Promise<void>((resolve) => this.#add({ run: () => null, resolve, reject: resolve }));
    this.#commands.stop();
    this.#listeners.clear();
  }

  #check(): void {
    if (this.#closed) throw closed();
  }

  #enqueue(run: () => readonly RunEvent[] | null): Promise<void> {
    return new Promise((resolve, reject) => this.#add({ run, resolve, reject }));
  }

  #add(job: Job): void {
    if (this.#jobs.length === 0) setImmediate(() => this.#commit());
    this.#jobs.push(job);
  }

  #commit(): void {
    const jobs = this.#jobs;
    this.#jobs = [];
    const told: RunEvent[] = [];
    let tell = false;
    for (const job of jobs) {
      try {
        const events = job.run();
        if (events) {
          tell = true;
          for (const event of events) told.push(event);
        }
        job.resolve();
      } catch (error) {
        job.reject(error);
      }
    }
    if (tell) this.#listeners.notify(told);
  }
}
