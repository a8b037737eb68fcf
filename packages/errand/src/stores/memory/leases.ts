import type { Boot, Claim, ClaimAnswer } from '../../ports/journal.ts';
import { mayTakeFrom } from '../shared/ask-holder.ts';
import type { EncodedEntry } from '../shared/encode.ts';
import { fenced } from '../shared/faults.ts';

interface Lease {
  /** Null: given back. It stays, so that no epoch is used twice. */
  bootId: string | null;
  epoch: number;
}

/** Who may write which tree of runs. */
export class Leases {
  readonly #leases = new Map<string, Lease>();

  /** Throws `fenced` when an entry was written under another lease than the one in force. */
  check(entries: readonly EncodedEntry[]): void {
    for (const { record, epoch } of entries) this.checkEpoch(record.root_id, epoch);
  }

  /** Throws `fenced` when another lease is in force. */
  checkEpoch(rootId: string, epoch: number): void {
    const lease = this.#leases.get(rootId);
    if (!lease || lease.bootId === null || lease.epoch !== epoch) throw fenced(rootId);
  }

  claim(claim: Claim, bootOf: (bootId: string) => Boot | null): ClaimAnswer {
    const { root_id, boot_id } = claim;
    const lease = this.#leases.get(root_id);
    if (lease?.bootId === boot_id) return { ok: true, epoch: lease.epoch };
    if (lease && lease.bootId !== null) {
      const holder = bootOf(lease.bootId);
      if (!mayTakeFrom(claim, holder)) return { ok: false, holder };
    }
    const epoch = (lease?.epoch ?? 0) + 1;
    this.#leases.set(root_id, { bootId: boot_id, epoch });
    return { ok: true, epoch };
  }

  release(rootId: string, bootId: string): void {
    const lease = this.#leases.get(rootId);
    if (lease?.bootId === bootId) lease.bootId = null;
  }

  releaseAll(bootId: string): void {
    for (const lease of this.#leases.values()) if (lease.bootId === bootId) lease.bootId = null;
  }

  /** The tree is gone, and its lease with it. */
  forget(rootId: string): void {
    this.#leases.delete(rootId);
  }
}
