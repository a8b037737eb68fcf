import type { RunRecord } from '../../domain/run/record.ts';
import type { HelperResult, RunResult } from '../../domain/run/result.ts';
import type { RunState } from '../../domain/run/state.ts';
import { addUsage } from '../../domain/run/usage.ts';

/** The result of a run: its own ending, and every run below it in order of creation. */
export function resultOf(run: RunState, tree: readonly RunRecord[]): RunResult {
  const below = descendantsOf(run.run_id, tree);
  const total = below.reduce((sum, record) => addUsage(sum, record.usage), run.usage);
  const models = [run.spec.model, ...below.map((record) => record.model)];
  // The offline model costs nothing; of no other is a price known yet.
  const free = models.every((model) => model.startsWith('offline/'));
  return {
    type: 'result',
    run_id: run.run_id,
    session_id: run.spec.session_id,
    state: run.state,
    reason: run.reason,
    partial: run.partial,
    answer: run.answer,
    message: run.message,
    helpers: below.map(helperResultOf),
    usage: { own: run.usage, total },
    cost: free ? { usd: 0, complete: true } : { usd: null, complete: false },
    duration_ms: (run.endedAt ?? run.createdAt) - run.createdAt,
  };
}

function helperResultOf(record: RunRecord): HelperResult {
  const { run_id, parent_id, title, role, model, state, reason, partial, steps, tool_calls, usage } = record;
  const duration_ms = record.ended_at === null ? 0 : record.ended_at - (record.started_at ?? record.created_at);
  return { run_id, parent_id, title, role, model, state, reason, partial, steps, tool_calls, usage, duration_ms };
}

function descendantsOf(runId: string, tree: readonly RunRecord[]): RunRecord[] {
  const known = new Set([runId]);
  // Parents come before their children, in order of creation.
  return tree.filter((record) => {
    const below = record.parent_id !== null && known.has(record.parent_id);
    if (below) known.add(record.run_id);
    return below;
  });
}
