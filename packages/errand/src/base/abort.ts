/**
 * A node in the tree of cancellation (run → step → call → child run).
 * The first reason wins and is kept; a child ends with its parent, never the other way round.
 */
export class Scope<Reason> {
  #controller: AbortController | undefined;
  #reason: Reason | undefined;
  #parent: Scope<Reason> | undefined;
  #children: Set<Scope<Reason>> | undefined;

  constructor(parent?: Scope<Reason>) {
    if (!parent) return;
    if (parent.#reason !== undefined) {
      this.#reason = parent.#reason;
      return;
    }
    this.#parent = parent;
    parent.#children ??= new Set();
    parent.#children.add(this);
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get reason(): Reason | undefined {
    return this.#reason;
  }

  /** Returns whether this call decided the reason. */
  cancel(reason: Reason): boolean {
    if (this.#reason !== undefined) return false;
    this.#reason = reason;
    const children = this.#children;
    this.#detach();
    this.#controller?.abort();
    if (children) for (const child of [...children]) child.cancel(reason);
    return true;
  }

  child(): Scope<Reason> {
    return new Scope<Reason>(this);
  }

  /** Lets go of the parent: what has ended is not kept alive by the tree. */
  close(): void {
    this.#detach();
  }

  #detach(): void {
    const siblings = this.#parent === undefined ? undefined : this.#parent.#children;
    siblings?.delete(this);
    this.#parent = undefined;
  }
}
