/**
 * Slots for running steps, handed out in the order of asking.
 * A run that waits for its children holds none, so nesting cannot deadlock, even at one slot.
 */
export class Slots {
  readonly #all: number;
  readonly #forHelpers: number;
  #held = 0;
  #heldByHelpers = 0;
  readonly #queue: { readonly helper: boolean; readonly grant: () => void }[] = [];

  /** `all`: steps at once in the instance; `forHelpers`: of these, by helpers. */
  constructor(all: number, forHelpers: number) {
    this.#all = all;
    this.#forHelpers = forHelpers;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Takes a slot at once, if one is free and nobody stands before. */
  tryTake(helper: boolean): boolean {
    if (this.#queue.length > 0 || !this.#isFree(helper)) return false;
    this.#take(helper);
    return true;
  }

  /** Waits for a slot; false when `signal` ended the waiting, and then none is held. */
  wait(helper: boolean, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(entry), 1);
        resolve(false);
      };
      const entry = {
        helper,
        grant: () => {
          signal.removeEventListener('abort', leave);
          resolve(true);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#queue.push(entry);
      this.#handOut();
    });
  }

  give(helper: boolean): void {
    this.#held--;
    if (helper) this.#heldByHelpers--;
    this.#handOut();
  }

  #isFree(helper: boolean): boolean {
    return this.#held < this.#all && (!helper || this.#heldByHelpers < this.#forHelpers);
  }

  #take(helper: boolean): void {
    this.#held++;
    if (helper) this.#heldByHelpers++;
  }

  #handOut(): void {
    // A root does not stand behind helpers that are held back by their own bound.
    for (let index = 0; index < this.#queue.length && this.#held < this.#all; ) {
      const entry = this.#queue[index];
      if (!entry || !this.#isFree(entry.helper)) {
        index++;
        continue;
      }
      this.#queue.splice(index, 1);
      this.#take(entry.helper);
      entry.grant();
    }
  }
}
