import { addUsage } from '../../domain/run/usage.ts';
import type { ModelUsage } from '../../ports/journal.ts';

/** What runs have used, added up by model. */
export class UsageSums {
  readonly #sums = new Map<string, ModelUsage>();

  add(part: ModelUsage): void {
    const sum = this.#sums.get(part.model);
    this.#sums.set(part.model, sum ? bothOf(sum, part) : part);
  }

  /** Most tokens first, then by name. */
  all(): readonly ModelUsage[] {
    return [...this.#sums.values()].sort((a, b) => tokensOf(b) - tokensOf(a) || (a.model < b.model ? -1 : 1));
  }
}

function bothOf(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    model: a.model,
    runs: a.runs + b.runs,
    deleted: a.deleted + b.deleted,
    usage: addUsage(a.usage, b.usage),
  };
}

function tokensOf({ usage }: ModelUsage): number {
  return usage.input + usage.output;
}
