import type { Errand, ErrandOptions } from './app/errand-options.ts';

export type { ConnectionOptions, Errand, ErrandOptions } from './app/errand-options.ts';
export { CodedError } from './base/errors.ts';
export type { Json, JsonObject } from './base/json.ts';
export type { Authority, Mode, Risk } from './domain/authority/authority.ts';
export type { RunEvent, RunSpec } from './domain/run/event.ts';
export { DEFAULT_LIMITS, type InstanceLimits, type RunLimits } from './domain/run/limits.ts';
export type { RunRecord } from './domain/run/record.ts';
export type { Cost, HelperResult, RunResult } from './domain/run/result.ts';
export type { RunStateName } from './domain/run/status.ts';
export type { Usage } from './domain/run/usage.ts';
export type { Journal, ModelUsage } from './ports/journal.ts';
export type { Connection, Model, ModelAnswer, ModelFault, ModelObserver, ModelRequest, Models } from './ports/model.ts';
export type { RunHandle, Runtime, StartRefusal, StartRequest, StopAnswer } from './ports/runtime.ts';
export type { Tool, ToolContext, ToolOutcome } from './ports/tool.ts';

/** An Errand of your own, in this process. Close it when you are done: what still runs is stopped and recorded. */
export async function createErrand(options: ErrandOptions = {}): Promise<Errand> {
  const { createInstance } = await import('./app/instance.ts');
  return createInstance(options);
}
