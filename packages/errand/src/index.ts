import type { Clock } from './base/clock.ts';
import type { InstanceLimits } from './domain/run/limits.ts';
import type { RunResult } from './domain/run/result.ts';
import type { Journal } from './ports/journal.ts';
import type { Connection, Models } from './ports/model.ts';
import type { RunHandle, Runtime, StartRefusal, StartRequest } from './ports/runtime.ts';
import type { Tool } from './ports/tool.ts';

export type { Authority, Mode, Risk } from './domain/authority/authority.ts';
export { CodedError } from './base/errors.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { RunEvent, RunSpec } from './domain/run/event.ts';
export { DEFAULT_LIMITS, type InstanceLimits, type RunLimits } from './domain/run/limits.ts';
export type { RunRecord } from './domain/run/record.ts';
export type { Cost, HelperResult, RunResult } from './domain/run/result.ts';
export type { RunStateName } from './domain/run/status.ts';
export type { Usage } from './domain/run/usage.ts';
export type { Journal } from './ports/journal.ts';
export type { Connection, Model, ModelAnswer, ModelFault, ModelObserver, ModelRequest, Models } from './ports/model.ts';
export type { RunHandle, Runtime, StartRefusal, StartRequest, StopAnswer } from './ports/runtime.ts';
export type { Tool, ToolContext, ToolOutcome } from './ports/tool.ts';

export interface ErrandOptions {
  /** Absolute folder of the store. Left out, runs are kept in memory and end with the process. */
  readonly folder?: string;
  /** A store of your own; instead of `folder`. */
  readonly journal?: Journal;
  /** Connections to providers; `offline/extract` is always there. */
  readonly connections?: readonly Connection[];
  /** Models of your own; instead of `connections`. */
  readonly models?: Models;
  /** Bounds; what is left out is as SPEC table A says. Times in milliseconds. */
  readonly limits?: Partial<InstanceLimits>;
  /** Tools beside the built-in ones; each declares its risk. */
  readonly tools?: readonly Tool[];
  readonly clock?: Clock;
}

export interface Errand extends Runtime {
  /** Starts a root run and waits for its result. Rejects with a CodedError<StartRefusal['code']> when it is refused. */
  run(request: StartRequest): Promise<RunResult>;
}

/** An Errand of your own, in this process. Close it when you are done: what still runs is stopped and recorded. */
export async function createErrand(options: ErrandOptions = {}): Promise<Errand> {
  const { createInstance } = await import('./app/instance.ts');
  return createInstance(options);
}
