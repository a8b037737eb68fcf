import type { RunLimits } from '../domain/run/limits.ts';
import { plainDuration } from './duration.ts';
import { OPTIONS, type OptionKind } from './options.ts';

/** A bound that a run which goes on may be given more of, and the flag for it. */
export interface Raise {
  readonly limit: keyof RunLimits;
  readonly flag: string;
  readonly value: OptionKind;
  readonly help: string;
}

const kindOf = (key: string): OptionKind => OPTIONS.find((option) => option.key === key)?.value ?? { kind: 'word' };

export const RAISES: readonly Raise[] = [
  { limit: 'steps', flag: '--steps', value: kindOf('limits.root_steps'), help: 'raise its steps, in all, to this' },
  {
    limit: 'tool_calls',
    flag: '--tool-calls',
    value: kindOf('limits.helper_tool_calls'),
    help: 'raise its tool calls, in all, to this',
  },
  {
    limit: 'wall_ms',
    flag: '--wall',
    value: kindOf('limits.root_wall'),
    help: 'raise its active time, in all, to this',
  },
];

/** Bounds as flags raise them: one that is higher already stays. */
export function raised(limits: RunLimits, raises: Partial<RunLimits>): RunLimits {
  const { wall_ms } = limits;
  return {
    steps: Math.max(limits.steps, raises.steps ?? 0),
    tool_calls: Math.max(limits.tool_calls, raises.tool_calls ?? 0),
    wall_ms: wall_ms === null ? null : Math.max(wall_ms, raises.wall_ms ?? 0),
  };
}

/** Which bound a reason speaks of; null: of none that can be raised. */
export function limitOf(reason: string | null): keyof RunLimits | null {
  return reason === 'wall' ? 'wall_ms' : reason === 'steps' || reason === 'tool_calls' ? reason : null;
}

interface Interrupted {
  readonly run_id: string;
  readonly state: string;
  readonly reason: string | null;
}

/**
 * The command that goes on with an interrupted run, with twice the bound that it has reached, if it was one; null: it is not
 * interrupted. `limits`: its own; null where they are not known.
 */
export function commandToGoOn({ run_id, state, reason }: Interrupted, limits: RunLimits | null): string | null {
  if (state !== 'interrupted') return null;
  const limit = limitOf(reason);
  const bound = limit && limits?.[limit];
  const raise = bound ? RAISES.find((known) => known.limit === limit) : undefined;
  if (!bound || !raise) return `errand resume ${run_id}`;
  return `errand resume ${run_id} ${raise.flag} ${limit === 'wall_ms' ? plainDuration(2 * bound) : 2 * bound}`;
}
