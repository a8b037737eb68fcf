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
import { dueTrees } from '../shared/retention.ts';
import { Boots } from './boots.ts';
import { Commands } from './commands.ts';
import { Leases } from './leases.ts';
import { Runs } from './runs.ts';
import { Ticks } from './ticks.ts';

/** A journal that ends with the process: for tests, and for runs that nobody wants to keep. Has no file to copy: `backup` is refused with `io`. */
export function createMemoryJournal(): Journal {
  return new MemoryJournal();
}

class MemoryJournal implements Journal {
  readonly #runs = new Runs();
  readonly #blobs = new Map<string, string>();
  readonly #boots = new Boots();
  readonly #leases = new Leases();
  readonly #commands = new Commands();
  readonly #listeners = new Listeners();
  readonly #ticks = new Ticks((events) => this.#listeners.notify(events));
  #closed = false;

  async append(entries: readonly JournalEntry[]): Promise<void> {
    this.#check();
    const encoded = encodeEntries(entries);
    return this.#ticks.change(() => {
      this.#leases.check(encoded);
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

  async unreadable(_rootId: string): Promise<readonly UnreadableRun[]> {
    this.#check();
    return [];
  }

  async discard(rootId: string, epoch: number): Promise<void> {
    this.#check();
    return this.#ticks.change(() => {
      this.#leases.checkEpoch(rootId, epoch);
      this.#runs.discard(rootId);
      this.#leases.forget(rootId);
      return [];
    });
  }

  observe(listener: (events: readonly RunEvent[]) => void): () => void {
    this.#check();
    return this.#listeners.add(listener);
  }

  async openBoot(boot: Omit<Boot, 'beats'>): Promise<void> {
    this.#check();
    return this.#ticks.ask(() => this.#boots.open(boot));
  }

  async closeBoot(bootId: string): Promise<void> {
    this.#check();
    return this.#ticks.change(() => {
      this.#boots.close(bootId);
      this.#leases.releaseAll(bootId);
      this.#commands.forget(bootId);
      return [];
    });
  }

  async beat(bootId: string): Promise<void> {
    this.#check();
    return this.#ticks.ask(() => {
      this.#boots.beat(bootId);
      this.#commands.wake(bootId);
    });
  }

  async claim(claim: Claim): Promise<ClaimAnswer> {
    this.#check();
    return this.#ticks.ask(() => this.#leases.claim(claim, (bootId) => this.#boots.get(bootId)));
  }

  async release(rootId: string, bootId: string): Promise<void> {
    this.#check();
    return this.#ticks.change(() => {
      this.#leases.release(rootId, bootId);
      return [];
    });
  }

  async takeSlots(bootId: string, count: number, limit: number): Promise<number> {
    this.#check();
    return this.#ticks.ask(() => this.#boots.takeSlots(bootId, count, limit));
  }

  async giveSlots(bootId: string, count: number): Promise<void> {
    this.#check();
    return this.#ticks.ask(() => this.#boots.giveSlots(bootId, count));
  }

  async boots(): Promise<readonly Boot[]> {
    this.#check();
    return this.#boots.all();
  }

  async sendCommand(bootId: string, command: Omit<Command, 'id'>): Promise<void> {
    this.#check();
    return this.#ticks.ask(() => {
      if (!this.#boots.get(bootId)) throw noBoot(bootId);
      this.#commands.send(bootId, command);
    });
  }

  receiveCommands(bootId: string, listener: (command: Command) => void): () => void {
    this.#check();
    return this.#commands.receive(bootId, listener);
  }

  async retain(rule: RetentionRule): Promise<Retained> {
    this.#check();
    let retained: Retained = { runs: 0, conversations: 0 };
    await this.#ticks.change(() => {
      retained = this.#retain(rule);
      return [];
    });
    return retained;
  }

  async usage(): Promise<readonly ModelUsage[]> {
    this.#check();
    return this.#runs.usage();
  }

  async check(): Promise<readonly string[]> {
    this.#check();
    return this.#runs.check();
  }

  async backup(_file: string): Promise<void> {
    this.#check();
    throw journalError('io', 'A journal in memory has no file to copy; give Errand a folder to keep its runs in.');
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#ticks.ask(() => {});
    this.#commands.stop();
    this.#listeners.clear();
  }

  #retain(rule: RetentionRule): Retained {
    const { outdated, hidden } = dueTrees(this.#runs.treesAtRest(), rule);
    let runs = 0;
    let conversations = 0;
    for (const { root_id } of outdated) {
      runs += this.#runs.delete(root_id);
      this.#leases.forget(root_id);
    }
    for (const { root_id } of hidden) conversations += this.#runs.sweep(root_id);
    return { runs, conversations };
  }

  #check(): void {
    if (this.#closed) throw closed();
  }
}
