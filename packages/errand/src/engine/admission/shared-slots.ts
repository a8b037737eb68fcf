import type { Journal } from '../../ports/journal.ts';
import type { Processes } from '../../ports/processes.ts';
import type { SharedSlots } from './slots.ts';

/** The store's slots as one process sees them. What a dead process held is free. */
export function createSharedSlots(
  store: { readonly journal: Journal; readonly processes: Processes; readonly bootId: string },
  limit: number,
): SharedSlots {
  const { journal, processes, bootId } = store;
  return {
    async take(count) {
      const got = await journal.takeSlots(bootId, count, limit);
      if (got === count) return got;
      const dead = (await journal.boots()).filter((boot) => processes.ownerState(boot) === 'dead');
      if (dead.length === 0) return got;
      for (const boot of dead) await journal.closeBoot(boot.boot_id);
      return got + (await journal.takeSlots(bootId, count - got, limit));
    },
    give: (count) => journal.giveSlots(bootId, count),
    onFreed: (listener) =>
      journal.observe((events) => {
        // Without events: somebody else has written.
        if (events.length === 0) listener();
      }),
  };
}
