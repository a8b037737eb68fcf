import { isEnded, type RunStateName } from '../domain/run/status.ts';
import type { Row, View } from './view.ts';
import { GLYPHS } from './words.ts';

/** A line of the tree: a run, or runs of one parent counted together. */
export type Line =
  | { readonly prefix: string; readonly row: Row; readonly live: number }
  | { readonly prefix: string; readonly summary: string };

interface Node {
  readonly row: Row;
  readonly children: Node[];
  /** Children that are not at rest. */
  live: number;
  /** The run and all below it are at rest. */
  done: boolean;
}

/** Which children are counted instead of shown. */
type Fold = (node: Node) => boolean;

const nothing: Fold = () => false;
const done: Fold = (node) => node.done;
const doneOrQueued: Fold = (node) => node.done || (node.row.state === 'queued' && node.children.length === 0);

/** The runs as a tree of at most `height` lines: what is done is counted first, then what queues, then the rest is cut. */
export function treeLines(view: View, height: number): Line[] {
  const roots = nodesOf(view);
  let lines: Line[] = [];
  for (const fold of [nothing, done, doneOrQueued]) {
    lines = roots.flatMap((root) => walk({ node: root, first: '', rest: '', fold }));
    if (lines.length <= height) return lines;
  }
  const kept = lines.slice(0, Math.max(0, height - 1));
  return [...kept, { prefix: '', summary: `… +${lines.length - kept.length} more` }].slice(0, height);
}

function nodesOf(view: View): Node[] {
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const row of view.rows.values()) {
    const node: Node = { row, children: [], live: 0, done: isEnded(row.state) };
    nodes.set(row.run_id, node);
    const parent = row.parent_id === null ? undefined : nodes.get(row.parent_id);
    (parent?.children ?? roots).push(node);
  }
  // Children come after their parents, so that the way back sees them first.
  for (const node of [...nodes.values()].reverse()) {
    node.live = node.children.filter((child) => !isEnded(child.row.state)).length;
    node.done &&= node.children.every((child) => child.done);
  }
  return roots;
}

interface Walk {
  readonly node: Node;
  /** Before the run's own line, and before the lines below it. */
  readonly first: string;
  readonly rest: string;
  readonly fold: Fold;
}

function walk({ node, first, rest, fold }: Walk): Line[] {
  const lines: Line[] = [{ prefix: first, row: node.row, live: node.live }];
  const folded = node.children.filter(fold);
  // One alone is shown: counting it saves nothing.
  const shown = folded.length > 1 ? node.children.filter((child) => !fold(child)) : node.children;
  for (const [index, child] of shown.entries()) {
    const last = index === shown.length - 1 && shown.length === node.children.length;
    lines.push(
      ...walk({ node: child, first: `${rest}${last ? '└─ ' : '├─ '}`, rest: `${rest}${last ? '   ' : '│  '}`, fold }),
    );
  }
  if (shown.length < node.children.length) {
    lines.push({ prefix: `${rest}└─ `, summary: countByState(folded.map((child) => child.row.state)) });
  }
  return lines;
}

/** `✓ 12 completed  ‖ 2 interrupted` */
function countByState(states: readonly RunStateName[]): string {
  const counts = new Map<RunStateName, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${GLYPHS[state]} ${count} ${state}`).join('  ');
}
