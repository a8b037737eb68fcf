import type { Command } from '../../ports/journal.ts';
import { guarded } from '../shared/listeners.ts';

type Receiver = (command: Command) => void;

/** What is asked of processes. */
export class Commands {
  readonly #waiting = new Map<string, Command[]>();
  readonly #receivers = new Map<string, Receiver>();
  #last = 0;

  /** Forgets what waits for a process. */
  forget(bootId: string): void {
    this.#waiting.delete(bootId);
  }

  send(bootId: string, command: Omit<Command, 'id'>): void {
    const waiting = this.#waiting.get(bootId) ?? [];
    waiting.push({ ...command, id: ++this.#last });
    this.#waiting.set(bootId, waiting);
    this.wake(bootId);
  }

  receive(bootId: string, receiver: Receiver): () => void {
    this.#receivers.set(bootId, receiver);
    this.wake(bootId);
    return () => {
      if (this.#receivers.get(bootId) === receiver) this.#receivers.delete(bootId);
    };
  }

  stop(): void {
    this.#receivers.clear();
  }

  /** Delivers what waits for a process, in the next tick. */
  wake(bootId: string): void {
    setImmediate(() => {
      const receiver = this.#receivers.get(bootId);
      const waiting = this.#waiting.get(bootId);
      if (!receiver || !waiting) return;
      this.#waiting.delete(bootId);
      for (const command of waiting) guarded(() => receiver(command));
    });
  }
}
