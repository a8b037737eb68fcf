import type { Boot, Command } from '../../ports/journal.ts';
import { guarded } from '../shared/listeners.ts';

type Receiver = (command: Command) => void;

/** Starts of processes and what is asked of them. */
export class Commands {
  readonly #boots = new Map<string, Boot>();
  readonly #waiting = new Map<string, Command[]>();
  readonly #receivers = new Map<string, Receiver>();
  #last = 0;

  open(boot: Boot): void {
    this.#boots.set(boot.boot_id, { ...boot });
  }

  close(bootId: string): void {
    this.#boots.delete(bootId);
    this.#waiting.delete(bootId);
  }

  boots(): readonly Boot[] {
    return [...this.#boots.values()].map((boot) => ({ ...boot }));
  }

  /** Returns false when there is no such process. */
  send(bootId: string, command: Omit<Command, 'id'>): boolean {
    if (!this.#boots.has(bootId)) return false;
    const waiting = this.#waiting.get(bootId) ?? [];
    waiting.push({ ...command, id: ++this.#last });
    this.#waiting.set(bootId, waiting);
    this.#wake(bootId);
    return true;
  }

  receive(bootId: string, receiver: Receiver): () => void {
    this.#receivers.set(bootId, receiver);
    this.#wake(bootId);
    return () => {
      if (this.#receivers.get(bootId) === receiver) this.#receivers.delete(bootId);
    };
  }

  stop(): void {
    this.#receivers.clear();
  }

  #wake(bootId: string): void {
    setImmediate(() => {
      const receiver = this.#receivers.get(bootId);
      const waiting = this.#waiting.get(bootId);
      if (!receiver || !waiting) return;
      this.#waiting.delete(bootId);
      for (const command of waiting) guarded(() => receiver(command));
    });
  }
}
