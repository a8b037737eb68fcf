/** Tokens of model calls. `cached` is part of `input`, `reasoning` part of `output`. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
  /** Calls whose usage the provider never told: cut, cancelled or silent. */
  readonly unknown_calls: number;
}

export const NO_USAGE: Usage = { input: 0, cached: 0, output: 0, reasoning: 0, unknown_calls: 0 };
export const UNKNOWN_USAGE: Usage = { ...NO_USAGE, unknown_calls: 1 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    unknown_calls: a.unknown_calls + b.unknown_calls,
  };
}
