import type { Random } from './random.ts';

export interface BackoffOptions {
  /** First delay in milliseconds. */
  readonly first: number;
  /** Longest delay in milliseconds, before jitter. */
  readonly longest: number;
  /** Share of the delay by which it varies either way, 0..1. */
  readonly jitter: number;
}

/** Delay in milliseconds before retry number `attempt` (1 is the first retry): doubling, bounded, jittered. */
export function backoffDelay(options: BackoffOptions, attempt: number, random: Random): number {
  const plain = Math.min(options.longest, options.first * 2 ** Math.max(0, attempt - 1));
  return Math.round(plain * (1 + options.jitter * (random() * 2 - 1)));
}

/** The longest that all of `retries` delays can last together, in milliseconds. */
export function longestBackoff(options: BackoffOptions, retries: number): number {
  let total = 0;
  for (let attempt = 1; attempt <= retries; attempt++)
    total += Math.min(options.longest, options.first * 2 ** (attempt - 1));
  return Math.ceil(total * (1 + options.jitter));
}
