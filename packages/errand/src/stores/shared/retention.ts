import type { RetentionRule } from '../../ports/journal.ts';

/** A tree at rest: no run lives, and the root is not interrupted. */
export interface TreeAtRest {
  readonly root_id: string;
  readonly runs: number;
  /** When its last run ended, in ms since the epoch. */
  readonly ended_at: number;
  /** Helpers whose conversation is still there. */
  readonly conversations: number;
}

/** Oldest first; no tree is in both. */
export interface DueTrees {
  /** Go, with all they have. */
  readonly outdated: readonly TreeAtRest[];
  /** Stay, without the conversations of their helpers. */
  readonly hidden: readonly TreeAtRest[];
}

/**
 * What is due under a rule, of all trees at rest. By age, counted back from `now` or from the latest ending of one of them,
 * whichever is earlier: so the one that ended last never goes by age, whatever the clock says. By number: the trees none
 * of whose runs is among the `keep` that ended last, counted by whole trees.
 */
export function dueTrees(trees: readonly TreeAtRest[], { now, age, hiddenAge, keep }: RetentionRule): DueTrees {
  const latest = trees.toSorted((a, b) => b.ended_at - a.ended_at || (a.root_id < b.root_id ? 1 : -1));
  const reference = Math.min(now, latest[0]?.ended_at ?? now);
  const outdated: TreeAtRest[] = [];
  const hidden: TreeAtRest[] = [];
  let newer = 0;
  for (const tree of latest) {
    if (tree.ended_at < reference - age || newer >= keep) outdated.push(tree);
    else if (tree.conversations > 0 && tree.ended_at < reference - hiddenAge) hidden.push(tree);
    newer += tree.runs;
  }
  return { outdated: outdated.reverse(), hidden: hidden.reverse() };
}
