import type { Boot, Claim, ClaimAnswer } from '../../ports/journal.ts';
import { mayTakeFrom } from '../shared/ask-holder.ts';
import type { EncodedEntry } from '../shared/encode.ts';
import { fenced } from '../shared/faults.ts';
import type { DatabaseSync } from './module.ts';

interface LeaseRow {
  readonly boot_id: string | null;
  readonly epoch: number;
}

/** Who may write which tree of runs. Everything here happens inside a transaction that its caller holds. */
export class Leases {
  /** Epochs in force, as this transaction has seen or made them; null: nobody holds the lease. */
  readonly #inForce = new Map<string, number | null>();
  readonly #select;
  readonly #set;
  readonly #release;
  readonly #releaseAll;
  readonly #delete;

  constructor(database: DatabaseSync) {
    this.#select = database.prepare('select boot_id, epoch from leases where root_id = ?');
    this.#set = database.prepare(
      `insert into leases (root_id, boot_id, epoch) values (?, ?, ?)
       on conflict (root_id) do update set boot_id = excluded.boot_id, epoch = excluded.epoch`,
    );
    // The row stays, so that no epoch is used twice.
    this.#release = database.prepare('update leases set boot_id = null where root_id = ? and boot_id = ?');
    this.#releaseAll = database.prepare('update leases set boot_id = null where boot_id = ?');
    this.#delete = database.prepare('delete from leases where root_id = ?');
  }

  /** Throws `fenced` when an entry was written under another lease than the one in force. */
  check(entries: readonly EncodedEntry[]): void {
    for (const { record, epoch } of entries) this.checkEpoch(record.root_id, epoch);
  }

  /** Throws `fenced` when another lease is in force. */
  checkEpoch(rootId: string, epoch: number): void {
    if (this.#epochInForce(rootId) !== epoch) throw fenced(rootId);
  }

  claim(claim: Claim, bootOf: (bootId: string) => Boot | null): ClaimAnswer {
    const { root_id, boot_id } = claim;
    const lease = this.#lease(root_id);
    if (lease?.boot_id === boot_id) return { ok: true, epoch: lease.epoch };
    if (lease && lease.boot_id !== null) {
      const holder = bootOf(lease.boot_id);
      if (!mayTakeFrom(claim, holder)) return { ok: false, holder };
    }
    const epoch = (lease?.epoch ?? 0) + 1;
    this.#set.run(root_id, boot_id, epoch);
    this.#inForce.set(root_id, epoch);
    return { ok: true, epoch };
  }

  release(rootId: string, bootId: string): void {
    this.#release.run(rootId, bootId);
    this.#inForce.delete(rootId);
  }

  releaseAll(bootId: string): void {
    this.#releaseAll.run(bootId);
    this.#inForce.clear();
  }

  /** The tree is gone, and its lease with it. */
  forget(rootId: string): void {
    this.#delete.run(rootId);
    this.#inForce.delete(rootId);
  }

  /** The transaction is over. */
  reset(): void {
    this.#inForce.clear();
  }

  #epochInForce(rootId: string): number | null {
    let epoch = this.#inForce.get(rootId);
    if (epoch === undefined) {
      const lease = this.#lease(rootId);
      epoch = lease && lease.boot_id !== null ? lease.epoch : null;
      this.#inForce.set(rootId, epoch);
    }
    return epoch;
  }

  #lease(rootId: string): LeaseRow | undefined {
    return this.#select.get(rootId) as LeaseRow | undefined;
  }
}
