import type { Json, JsonObject } from '../base/json.ts';
import type { Result } from '../base/result.ts';
import type { Authority, ToolFacts } from '../domain/authority/authority.ts';
import type { TakenEnding, TodoItem, ToolStatus } from '../domain/run/event.ts';
import type { Workspace } from './files.ts';

/** What a tool may use of the run that calls it. */
export interface ToolContext {
  readonly runId: string;
  readonly callId: string;
  readonly cwd: string;
  readonly authority: Authority;
  /** Files below the run's read roots, and nothing else. */
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** Replaces the run's own to-do list. */
  writeTodo(items: readonly TodoItem[]): void;
  /** Launches a helper and waits for its ending. */
  delegate(args: unknown): Promise<ToolOutcome>;
}

export interface ToolOutcome {
  readonly status: ToolStatus;
  /** What the model is shown; cut by the dispatcher when it is too long. */
  readonly output: string;
  /** What really happened, for the receipt. */
  readonly facts?: Json;
  readonly child?: TakenEnding;
}

/**
 * A tool. `parse` validates (its error names the field and the accepted values),
 * `execute` acts; it may reject only when it is broken.
 */
export interface Tool<Args = unknown> extends ToolFacts {
  readonly description: string;
  readonly parameters: JsonObject;
  parse(args: Json): Result<Args, string>;
  execute(args: Args, context: ToolContext): Promise<ToolOutcome>;
}
