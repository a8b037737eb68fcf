import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { Boot, Journal } from '../../ports/journal.ts';
import type { Processes } from '../../ports/processes.ts';
import { LEASE_MS } from '../lease-time.ts';
import type { SharedSlots } from './slots.ts';

export interface SharedSlotsOptions {
  readonly journal: Journal;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly bootId: string;
  readonly limit: number;
}

/** The store's slots as one process sees them. What a process held that is dead, or has fallen silent, is free. */
export function createSharedSlots(options: SharedSlotsOptions): SharedSlots {
  const { journal, processes, clock, bootId, limit } = options;
  const silence = new Silence(options);
  const takeNow = async (count: number) => {
    try {
      return await journal.takeSlots(bootId, count, limit);
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'fenced')) throw error;
      // Taken for dead, and back: what it had is lost to it, and what it begins now it begins like a new process.
      await journal.openBoot({ boot_id: bootId, started_at: clock.now(), ...processes.self() });
      return journal.takeSlots(bootId, count, limit);
    }
  };
  return {
    async take(count) {
      const got = await takeNow(count);
      if (got === count) return got;
      const gone = await silence.gone();
      if (gone.length === 0) return got;
      for (const boot of gone) await journal.closeBoot(boot.boot_id);
      return got + (await takeNow(count - got));
    },
    give: (count) => journal.giveSlots(bootId, count),
    onFreed: (listener) =>
      journal.observe((events) => {
        // Without events: somebody else has written.
        if (events.length === 0) listener();
      }),
  };
}

/** What this process has seen of others, by its own monotonic clock. */
class Silence {
  readonly #options: SharedSlotsOptions;
  readonly #seen = new Map<string, { readonly beats: number; readonly at: number }>();

  constructor(options: SharedSlotsOptions) {
    this.#options = options;
  }

  /** Those that are dead; and those of which nothing can be proven, that have runs to drive, and whose beats have stood still for a lease's time. */
  async gone(): Promise<readonly Boot[]> {
    const { journal, processes } = this.#options;
    const boots = await journal.boots();
    const dead = boots.filter((boot) => processes.ownerState(boot) === 'dead');
    const silent = boots.filter((boot) => processes.ownerState(boot) === 'unknown' && this.#isSilent(boot));
    if (silent.length === 0) return dead;
    // One that drives nothing need not beat.
    const owners = new Set((await journal.records({ live: true })).map((row) => row.boot_id));
    return [...dead, ...silent.filter((boot) => owners.has(boot.boot_id))];
  }

  #isSilent({ boot_id, beats }: Boot): boolean {
    const now = this.#options.clock.monotonic();
    const seen = this.#seen.get(boot_id);
    if (seen?.beats === beats) return now - seen.at >= LEASE_MS;
    this.#seen.set(boot_id, { beats, at: now });
    return false;
  }
}
