import type { RetentionRule } from '../../ports/journal.ts';

/** A tree that is over: no run lives, and the root is not interrupted. */
export interface EndedTree {
  readonly root_id: string;
  readonly runs: number;
  /** When its last run ended, in ms since the epoch. */
  readonly ended_at: number;
}

/**
 * The trees that go, oldest first: those that ended before `endedBefore`, and those none of whose runs is among the
 * `keep` that ended last, counted by whole trees.
 */
export function outdatedTrees(trees: readonly EndedTree[], { endedBefore, keep }: RetentionRule): readonly EndedTree[] {
  const newest = trees.toSorted((a, b) => b.ended_at - a.ended_at || (a.root_id < b.root_id ? 1 : -1));
  let newer = 0;
  const outdated = newest.filter((tree) => {
    const goes = tree.ended_at < endedBefore || newer >= keep;
    newer += tree.runs;
    return goes;
  });
  return outdated.reverse();
}
