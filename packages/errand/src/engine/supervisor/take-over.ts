import type { Boot } from '../../ports/journal.ts';
import { LEASE_MS } from '../lease-time.ts';
import { pause } from '../loop/guard.ts';
import type { Services } from '../services.ts';

type TakenOver = { ok: true; epoch: number } | { ok: false; holder: Boot | null };

/**
 * The lease on a tree: at once where nobody holds it or its holder is proven dead, after a lease's time of silence where that cannot
 * be told. Silence is watched by our own monotonic clock, so that neither a clock that was set nor a machine that slept looks like it.
 * `closing` ends the watching.
 */
export async function takeOver(services: Services, rootId: string, closing: AbortSignal): Promise<TakenOver> {
  const { journal, processes, bootId } = services;
  const claim = (mayTake: (holder: Boot) => boolean): Promise<TakenOver> =>
    journal.claim({
      root_id: rootId,
      boot_id: bootId,
      mayTake: (holder) => holder === null || processes.ownerState(holder) === 'dead' || mayTake(holder),
    });
  let last = await claim(() => false);
  while (!last.ok && last.holder !== null) {
    const seen = last.holder;
    const watched = await watch(services, { seen, closing, claim: () => claim(() => false) });
    if (watched !== 'silent') return watched;
    last = await claim((holder) => holder.boot_id === seen.boot_id && holder.beats === seen.beats);
    // Somebody else who waited was quicker: that one is to be watched now.
    if (!last.ok && last.holder?.boot_id === seen.boot_id) return last;
  }
  return last;
}

interface Watched {
  readonly seen: Boot;
  readonly closing: AbortSignal;
  readonly claim: () => Promise<TakenOver>;
}

/** Over a lease's time: the lease, as soon as it is given back; its holder, as soon as that shows itself; `silent`: neither. */
async function watch(services: Services, { seen, closing, claim }: Watched): Promise<TakenOver | 'silent'> {
  const { journal, clock } = services;
  const over = new AbortController();
  let found: TakenOver | 'silent' = 'silent';
  let looking: Promise<void> | null = null;
  const end = (answer: TakenOver) => {
    if (over.signal.aborted) return;
    found = answer;
    over.abort();
  };
  const look = async () => {
    const answer = await claim();
    if (answer.ok) return end(answer);
    const { holder } = answer;
    if (holder && (holder.boot_id !== seen.boot_id || holder.beats !== seen.beats)) end(answer);
  };
  // One look at a time; a store that cannot be asked now is asked at the next commit, and by the claim in the end.
  const stop = journal.observe(() => {
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = null;
      });
  });
  const onClosing = () => end({ ok: false, holder: seen });
  if (closing.aborted) onClosing();
  else closing.addEventListener('abort', onClosing, { once: true });
  await pause(clock, LEASE_MS, over.signal);
  closing.removeEventListener('abort', onClosing);
  stop();
  // One that is under way may still get the lease.
  if (looking) await looking;
  return found;
}
