/** Helpers launched in one turn, by the root and by its helpers; one counter for the whole tree. */
export class Turn {
  readonly max: number;
  #used: number;

  constructor(max: number, used = 0) {
    this.max = max;
    this.#used = used;
  }

  get used(): number {
    return this.#used;
  }

  /** Spends one; false when none is left. Asking and spending are one act, so calls that start together cannot both take the last. */
  take(): boolean {
    if (this.#used >= this.max) return false;
    this.#used++;
    return true;
  }
}
