/** The slots of the whole store, of which every process holds some. */
export interface SharedSlots {
  /** Takes up to `count`; returns how many were free. */
  take(count: number): Promise<number>;
  give(count: number): Promise<void>;
  /** Calls the listener when others may have given some back. Returns the way to stop. */
  onFreed(listener: () => void): () => void;
}

export interface SlotLimits {
  /** Steps at once, over all processes of the store. */
  readonly all: number;
  /** Of these, by helpers. */
  readonly forHelpers: number;
}

interface Waiting {
  readonly helper: boolean;
  readonly grant: () => void;
  /** Told once that there was no slot to be had at once. */
  onWaiting: (() => void) | null;
  readonly refuse: (error: unknown) => void;
}

/**
 * Slots for running steps, handed out in the order of asking.
 * A run that waits for its children holds none, so nesting cannot deadlock, even at one slot.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #shared: SharedSlots;
  #held = 0;
  #heldByHelpers = 0;
  /** Taken from the store and held by no run. */
  #spare = 0;
  #asking = false;
  #stopListening: (() => void) | null = null;
  readonly #queue: Waiting[] = [];

  constructor(limits: SlotLimits, shared: SharedSlots) {
    this.#limits = limits;
    this.#shared = shared;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Waits for a slot; false when `signal` ended the waiting, and then none is held. Rejects when the store cannot be asked.
   * `onWaiting` is called where none is free now.
   */
  wait(helper: boolean, signal: AbortSignal, onWaiting: () => void = () => {}): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      const leave = () => {
        const index = this.#queue.indexOf(entry);
        if (index >= 0) this.#queue.splice(index, 1);
        resolve(false);
        this.#handOut();
      };
      const entry: Waiting = {
        helper,
        onWaiting,
        grant: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(entry);
      this.#handOut();
    });
  }

  /** Asks the store again for those who wait: slots may have come free in a way that nobody hears of. */
  retry(): void {
    this.#handOut();
  }

  give(helper: boolean): void {
    this.#held--;
    if (helper) this.#heldByHelpers--;
    this.#spare++;
    this.#handOut();
  }

  #isFree(helper: boolean): boolean {
    return this.#held < this.#limits.all && (!helper || this.#heldByHelpers < this.#limits.forHelpers);
  }

  #handOut(): void {
    // A root does not stand behind helpers that are held back by their own bound.
    for (let index = 0; index < this.#queue.length && this.#spare > 0; ) {
      const entry = this.#queue[index];
      if (!entry || !this.#isFree(entry.helper)) {
        index++;
        continue;
      }
      this.#queue.splice(index, 1);
      this.#spare--;
      this.#held++;
      if (entry.helper) this.#heldByHelpers++;
      entry.grant();
    }
    if (!this.#asking) void this.#settleWithStore();
  }

  /** What could be handed out now if the store had it. */
  #wanted(): number {
    const roots = this.#queue.filter((entry) => !entry.helper).length;
    const helpers = Math.min(this.#queue.length - roots, this.#limits.forHelpers - this.#heldByHelpers);
    return Math.max(0, Math.min(roots + helpers, this.#limits.all - this.#held));
  }

  /** Takes what is wanted from the store, or gives back what is not; one exchange at a time, after the calls of this turn. */
  async #settleWithStore(): Promise<void> {
    this.#asking = true;
    await Promise.resolve();
    let stuck = false;
    for (let wanted = this.#wanted(); wanted !== this.#spare; wanted = this.#wanted()) {
      stuck = wanted < this.#spare && !(await this.#giveBack(this.#spare - wanted));
      if (stuck || (wanted > this.#spare && !(await this.#fetch(wanted - this.#spare)))) break;
    }
    this.#asking = false;
    if (this.#spare > 0 && (!stuck || this.#wanted() > 0)) return this.#handOut();
    for (const entry of this.#queue) {
      entry.onWaiting?.();
      entry.onWaiting = null;
    }
    if (this.#spare === 0 && this.#queue.length === 0) this.#unlisten();
  }

  /** False: the store did not take them, and is asked again when it changes. */
  async #giveBack(count: number): Promise<boolean> {
    this.#spare -= count;
    try {
      await this.#shared.give(count);
      return true;
    } catch {
      // Still ours as far as the store knows, so that they are neither lost nor given twice.
      this.#spare += count;
      this.#listen();
      return false;
    }
  }

  /** False: there were fewer, and the store is asked again when it changes. */
  async #fetch(count: number): Promise<boolean> {
    let got = 0;
    try {
      got = await this.#shared.take(count);
    } catch (error) {
      for (const entry of this.#queue.splice(0)) entry.refuse(error);
    }
    this.#spare += got;
    if (got < count) this.#listen();
    return got === count;
  }

  #listen(): void {
    try {
      this.#stopListening ??= this.#shared.onFreed(() => this.#handOut());
    } catch {
      // A store that is closed has nothing more to tell.
    }
  }

  #unlisten(): void {
    this.#stopListening?.();
    this.#stopListening = null;
  }
}
