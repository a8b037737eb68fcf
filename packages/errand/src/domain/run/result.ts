import type { Reason, RunStateName } from './status.ts';
import type { Usage } from './usage.ts';

/** What a run cost; `usd` is null where no price is known, and `complete` says whether nothing is missing. */
export interface Cost {
  readonly usd: number | null;
  readonly complete: boolean;
}

export interface HelperResult {
  readonly run_id: string;
  readonly parent_id: string | null;
  readonly title: string;
  readonly role: string;
  readonly model: string;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  readonly partial: boolean;
  readonly steps: number;
  /** Names in the order of the calls. */
  readonly tool_calls: readonly string[];
  readonly usage: Usage;
  readonly duration_ms: number;
}

/** The last line of `stream-json`, the whole of `json`, and what the library returns. */
export interface RunResult {
  readonly type: 'result';
  readonly run_id: string;
  readonly session_id: string;
  readonly state: RunStateName;
  readonly reason: Reason | null;
  readonly partial: boolean;
  readonly answer: string;
  /** In words, what ended the run. */
  readonly message: string;
  readonly helpers: readonly HelperResult[];
  readonly usage: { readonly own: Usage; readonly total: Usage };
  readonly cost: Cost;
  readonly duration_ms: number;
}
