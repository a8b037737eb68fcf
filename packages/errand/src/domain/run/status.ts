export const STATES = ['queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'interrupted'] as const;
export type RunStateName = (typeof STATES)[number];

/** What a run in state `waiting` waits for. */
export const WAITS = ['children', 'slot', 'retry'] as const;
export type WaitingOn = (typeof WAITS)[number];

/** SPEC table D: which reasons go with which state. */
export const REASONS = {
  completed: [],
  failed: ['empty_answer', 'output_limit', 'schema', 'provider_refused', 'internal'],
  cancelled: ['user', 'parent', 'session_end', 'signal'],
  interrupted: ['steps', 'tool_calls', 'wall', 'budget', 'context', 'stalled', 'provider', 'restart'],
} as const;

export type CancelReason = (typeof REASONS.cancelled)[number];
export type InterruptReason = (typeof REASONS.interrupted)[number];
export type FailReason = (typeof REASONS.failed)[number];
export type Reason = CancelReason | InterruptReason | FailReason;

/** How a run came to rest. */
export type Ending =
  | { readonly state: 'completed'; readonly reason: null }
  | { readonly state: 'failed'; readonly reason: FailReason }
  | { readonly state: 'cancelled'; readonly reason: CancelReason }
  | { readonly state: 'interrupted'; readonly reason: InterruptReason };

export function isTerminal(state: RunStateName): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled';
}

/** Terminal, or interrupted and at rest. */
export function isEnded(state: RunStateName): boolean {
  return isTerminal(state) || state === 'interrupted';
}
