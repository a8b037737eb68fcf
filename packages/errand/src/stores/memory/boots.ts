import type { Boot } from '../../ports/journal.ts';
import { forgottenBoot } from '../shared/faults.ts';

interface StoredBoot {
  boot: Boot;
  slots: number;
}

/** Starts of processes, and the slots that each has taken. */
export class Boots {
  readonly #boots = new Map<string, StoredBoot>();

  open(boot: Omit<Boot, 'beats'>): void {
    this.#boots.set(boot.boot_id, { boot: { ...boot, beats: 0 }, slots: 0 });
  }

  close(bootId: string): void {
    this.#boots.delete(bootId);
  }

  get(bootId: string): Boot | null {
    const stored = this.#boots.get(bootId);
    return stored ? { ...stored.boot } : null;
  }

  all(): readonly Boot[] {
    const boots = [...this.#boots.values()].map(({ boot }) => ({ ...boot }));
    return boots.sort((a, b) => a.started_at - b.started_at || (a.boot_id < b.boot_id ? -1 : 1));
  }

  beat(bootId: string): void {
    const stored = this.#known(bootId);
    stored.boot = { ...stored.boot, beats: stored.boot.beats + 1 };
  }

  /** Returns how many of `count` were free. */
  takeSlots(bootId: string, count: number, limit: number): number {
    const stored = this.#known(bootId);
    let used = 0;
    for (const { slots } of this.#boots.values()) used += slots;
    const taken = Math.max(0, Math.min(count, limit - used));
    stored.slots += taken;
    return taken;
  }

  giveSlots(bootId: string, count: number): void {
    const stored = this.#boots.get(bootId);
    if (stored) stored.slots = Math.max(0, stored.slots - Math.max(0, count));
  }

  #known(bootId: string): StoredBoot {
    const stored = this.#boots.get(bootId);
    if (!stored) throw forgottenBoot(bootId);
    return stored;
  }
}
