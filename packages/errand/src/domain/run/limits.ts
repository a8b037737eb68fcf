/** The bounds of one run, recorded with it. */
export interface RunLimits {
  readonly steps: number;
  readonly tool_calls: number;
  /** Active time in milliseconds; null: none. */
  readonly wall_ms: number | null;
}

/**
 * How long before its wall clock a run is asked to report: the last tenth, 20 s at least,
 * but never more than half of a short one.
 */
export function reportWindow(wallMs: number): number {
  return Math.min(wallMs / 2, Math.max(wallMs / 10, 20_000));
}

/** The bounds of an instance (SPEC table A). Times in milliseconds. */
export interface InstanceLimits {
  readonly max_per_turn: number;
  readonly max_concurrent: number;
  readonly launch_concurrency: number;
  /** Running plus queued. */
  readonly max_admitted: number;
  readonly max_depth: number;
  readonly helper_steps: number;
  readonly helper_tool_calls: number;
  readonly helper_wall_ms: number;
  readonly root_steps: number;
  readonly root_wall_ms: number | null;
  readonly call_timeout_ms: number;
  readonly tool_timeout_ms: number;
  readonly stream_idle_timeout_ms: number;
  readonly retries: number;
  readonly retry_first_ms: number;
  readonly retry_longest_ms: number;
  readonly retry_after_longest_ms: number;
  readonly heartbeat_ms: number;
  readonly stop_grace_ms: number;
  readonly tool_result_characters: number;
  readonly answer_characters: number;
  readonly step_answer_characters: number;
}

export const DEFAULT_LIMITS: InstanceLimits = {
  max_per_turn: 16,
  max_concurrent: 64,
  launch_concurrency: 64,
  max_admitted: 1024,
  max_depth: 3,
  helper_steps: 60,
  helper_tool_calls: 400,
  helper_wall_ms: 1_800_000,
  root_steps: 200,
  root_wall_ms: null,
  call_timeout_ms: 600_000,
  tool_timeout_ms: 300_000,
  stream_idle_timeout_ms: 120_000,
  retries: 5,
  retry_first_ms: 1_000,
  retry_longest_ms: 30_000,
  retry_after_longest_ms: 120_000,
  heartbeat_ms: 630_000,
  stop_grace_ms: 20_000,
  tool_result_characters: 30_000,
  answer_characters: 12_000,
  step_answer_characters: 48_000,
};
export const RETRY_JITTER = 0.2;
