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
    if (watched.why !== 'silent') last = watched.answer;
    else last = await claim((holder) => holder.boot_id === seen.boot_id && holder.beats === seen.beats);
    if (last.ok || watched.why === 'alive') return last;
    // Somebody else who waited was quicker: that one is to be watched now.
    if (watched.why === 'silent' && last.holder?.boot_id === seen.boot_id) return last;
  }
  return last;
}

interface Watching {
  readonly seen: Boot;
  readonly closing: AbortSignal;
  readonly claim: () => Promise<TakenOver>;
}

type Watched =
  /** `free`: it was given back, and is ours; `changed`: another holds it now; `alive`: its holder showed itself, or nobody waits any more. */
  { readonly why: 'free' | 'changed' | 'alive'; readonly answer: TakenOver } | { readonly why: 'silent' };

/** Watches the holder of a lease over a lease's time, and tries for the lease whenever something was committed. */
async function watch(services: Services, { seen, closing, claim }: Watching): Promise<Watched> {
  const { journal, clock } = services;
  const over = new AbortController();
  let watched: Watched = { why: 'silent' };
  const end = (found: Watched) => {
    if (over.signal.aborted) return;
    watched = found;
    over.abort();
  };
  const look = async () => {
    const answer = await claim();
    if (answer.ok) return end({ why: 'free', answer });
    const { holder } = answer;
    if (holder?.boot_id !== seen.boot_id) end({ why: 'changed', answer });
    else if (holder.beats !== seen.beats) end({ why: 'alive', answer });
  };
  // One look at a time, and one more for what was committed meanwhile. A store that cannot be asked now is asked at the next commit.
  let asked = 0;
  let looking: Promise<void> | null = null;
  const lookUntilSeen = async () => {
    for (let answered = -1; answered !== asked && !over.signal.aborted; ) {
      answered = asked;
      await look().catch(() => {});
    }
    looking = null;
  };
  const onCommit = () => {
    asked++;
    looking ??= lookUntilSeen();
  };
  const stop = journal.observe(onCommit);
  const onClosing = () => end({ why: 'alive', answer: { ok: false, holder: seen } });
  closing.addEventListener('abort', onClosing, { once: true });
  if (closing.aborted) onClosing();
  else onCommit();
  await pause(clock, LEASE_MS, over.signal);
  closing.removeEventListener('abort', onClosing);
  stop();
  // One that is under way may still get the lease.
  if (looking) await looking;
  return watched;
}
