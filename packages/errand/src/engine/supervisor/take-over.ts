import type { Boot } from '../../ports/journal.ts';
import { pause } from '../loop/guard.ts';
import type { Services } from '../services.ts';

/** How long a process may be silent before what it holds may be taken, in milliseconds; it shows itself three times in that. */
export const LEASE_MS = 10_000;
export const BEAT_MS = 3_000;

/**
 * The lease on a tree: at once where nobody holds it or its holder is proven dead, after a lease's time of silence where that cannot
 * be told. Silence is watched by our own monotonic clock, so that neither a clock that was set nor a machine that slept looks like it.
 */
export async function takeOver(
  services: Services,
  rootId: string,
): Promise<{ ok: true; epoch: number } | { ok: false; holder: Boot | null }> {
  const { journal, processes, bootId } = services;
  const claim = (mayTake: (holder: Boot | null) => boolean) =>
    journal.claim({ root_id: rootId, boot_id: bootId, mayTake });
  const first = await claim((holder) => holder === null || processes.ownerState(holder) === 'dead');
  if (first.ok || first.holder === null) return first;
  const seen = first.holder;
  if (await showsItself(services, seen)) return first;
  return claim((holder) => holder === null || (holder.boot_id === seen.boot_id && holder.beats === seen.beats));
}

/** Whether a process beats within a lease's time; known as soon as it does, or has closed. */
async function showsItself(services: Services, seen: Boot): Promise<boolean> {
  const { journal, clock } = services;
  const watched = new AbortController();
  let shown = false;
  const look = async () => {
    const now = (await journal.boots()).find((boot) => boot.boot_id === seen.boot_id);
    if (now?.beats === seen.beats) return;
    shown = now !== undefined;
    watched.abort();
  };
  // A store that cannot be asked now is asked at the next commit, and by the claim in the end.
  const stop = journal.observe(() => void look().catch(() => {}));
  await pause(clock, LEASE_MS, watched.signal);
  stop();
  return shown;
}
