import type { Boot, Claim } from '../../ports/journal.ts';
import { undecided } from './faults.ts';

/** The claimer's word on whether a lease may be taken from its holder. Throws `io` when it has none. */
export function mayTakeFrom(claim: Claim, holder: Boot | null): boolean {
  try {
    return claim.mayTake(holder);
  } catch (error) {
    throw undecided(claim.root_id, error);
  }
}
