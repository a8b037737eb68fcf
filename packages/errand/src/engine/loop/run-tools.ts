import type { Scope } from '../../base/abort.ts';
import { messageOf } from '../../base/errors.ts';
import { type Json, parseJson } from '../../base/json.ts';
import { fail, type Result } from '../../base/result.ts';
import { cutHeadAndTail } from '../../base/text.ts';
import { authorise } from '../../domain/authority/authorise.ts';
import { reportWindow } from '../../domain/run/limits.ts';
import type { OpenCall } from '../../domain/run/state.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../ports/tool.ts';
import { renderUnknownOutcome } from '../../prompts/turns.ts';
import { guard } from './guard.ts';
import type { LiveRun, StopReason } from './live-run.ts';

/** A call that may be executed, or why it is not. */
type Prepared = { readonly tool: Tool; readonly args: unknown } | { readonly refusal: ToolOutcome };

/**
 * The calls of one step. Those that only read run together; one that writes or executes runs alone, in its turn.
 * When the time for a last report comes, what still runs is stopped.
 */
export async function runTools(run: LiveRun): Promise<void> {
  const scope = run.scope.child();
  const { wall_ms } = run.state.limits;
  const callOff =
    wall_ms === null
      ? null
      : run.active.at(wall_ms - reportWindow(wall_ms), () => scope.cancel({ state: 'interrupted', reason: 'wall' }));
  run.answerCharacters = handedOver(run);
  run.answersToCome = run.state.open.filter(
    (call) => !call.result && findTool(run, call.name)?.family === 'delegate',
  ).length;
  try {
    for (const group of groupsOf(
      run,
      run.state.open.filter((call) => !call.result),
    )) {
      await runTogether(run, group, scope);
    }
  } finally {
    callOff?.();
    scope.close();
  }
}

/** What breaks in one call stops the others; none is left running behind the run's back. */
async function runTogether(run: LiveRun, calls: readonly OpenCall[], scope: Scope<StopReason>): Promise<void> {
  const ends = await Promise.allSettled(
    calls.map((call) =>
      dispatch(run, call, scope).catch((error: unknown) => {
        scope.cancel({ state: 'failed', reason: 'internal' });
        throw error;
      }),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** What a step had handed over before a restart. */
function handedOver(run: LiveRun): number {
  return run.state.open.reduce((sum, call) => sum + call.characters, 0);
}

function groupsOf(run: LiveRun, calls: readonly OpenCall[]): OpenCall[][] {
  const groups: OpenCall[][] = [];
  let together = false;
  for (const call of calls) {
    const risk = findTool(run, call.name)?.risk ?? 'none';
    const reads = risk === 'none' || risk === 'read' || risk === 'network';
    const last = groups.at(-1);
    if (last && together && reads) last.push(call);
    else groups.push([call]);
    together = reads;
  }
  return groups;
}

function findTool(run: LiveRun, name: string): Tool | undefined {
  return run.services.tools.find((tool) => tool.name === name);
}

async function dispatch(run: LiveRun, call: OpenCall, scope: Scope<StopReason>): Promise<void> {
  const { clock } = run.services;
  const { name, call_id, args } = call;
  const step = run.state.steps;
  const begun = clock.monotonic();
  const again = call.started;
  const acted = again && (call.risk === 'write' || call.risk === 'execute');
  const prepared: Prepared = acted
    ? { refusal: { status: 'error', output: renderUnknownOutcome(name) } }
    : prepare(run, call);
  let outcome: ToolOutcome;
  if ('refusal' in prepared) {
    outcome = prepared.refusal;
  } else if (scope.reason) {
    outcome = stopped(scope);
  } else {
    run.record({ type: 'tool.started', step, call_id, name, args, risk: prepared.tool.risk });
    // What acts on the world is on record before it acts.
    if (prepared.tool.risk === 'write' || prepared.tool.risk === 'execute') await run.recorded();
    outcome = await execute(run, prepared, { callId: call_id, again, scope });
  }
  const { output, child, facts, status } = outcome;
  // A call for a helper that came to nothing leaves its share to the others.
  if (!child && findTool(run, name)?.family === 'delegate') run.answersToCome--;
  run.record({
    type: 'tool.finished',
    step,
    call_id,
    name,
    status,
    output: child ? output : cutResult(run, output),
    ms: Math.round(clock.monotonic() - begun),
    active_ms: run.active.elapsed(),
    ...(child ? { child } : {}),
    ...(facts === undefined ? {} : { facts }),
  });
}

/** Validates, authorises and counts. The gate is asked here again, whatever the model was offered. */
function prepare(run: LiveRun, call: OpenCall): Prepared {
  const { spec, limits, toolNames } = run.state;
  const tool = findTool(run, call.name);
  if (!tool) {
    const names = run.equipment.declarations.map((declaration) => declaration.name).join(', ');
    return { refusal: { status: 'error', output: `There is no tool "${call.name}". Available: ${names || 'none'}.` } };
  }
  const verdict = authorise(spec.authority, tool);
  if (verdict.verdict !== 'allow') return { refusal: { status: 'refused', output: verdict.reason } };
  const json = parseJson(call.args.trim() === '' ? '{}' : call.args);
  if (!json.ok) {
    return {
      refusal: {
        status: 'error',
        output: `The arguments of ${call.name} are not valid JSON (${json.message}). Send one JSON object.`,
      },
    };
  }
  const parsed = parseArguments(tool, json.value);
  if (!parsed.ok) return { refusal: { status: 'error', output: parsed.error } };
  // One that had started before a restart is counted already.
  if (!call.started && toolNames.length >= limits.tool_calls) {
    const output = `Not carried out: the limit of ${limits.tool_calls} tool calls is used up. Report what you have.`;
    return { refusal: { status: 'refused', output } };
  }
  return { tool, args: parsed.value };
}

function parseArguments(tool: Tool, args: Json): Result<unknown, string> {
  try {
    return tool.parse(args);
  } catch (error) {
    return fail(`${tool.name} failed: ${messageOf(error)}`);
  }
}

interface Execution {
  readonly callId: string;
  /** It had started before a restart. */
  readonly again: boolean;
  readonly scope: Scope<StopReason>;
}

async function execute(
  run: LiveRun,
  prepared: { readonly tool: Tool; readonly args: unknown },
  call: Execution,
): Promise<ToolOutcome> {
  const { clock, limits } = run.services;
  const { tool, args } = prepared;
  const scope = call.scope.child();
  // A helper has bounds of its own; every other tool has this one.
  const bound = limits.tool_timeout_ms;
  let late = false;
  const timer =
    tool.family === 'delegate'
      ? null
      : clock.timer(bound, () => {
          late = true;
          scope.cancel({ state: 'interrupted', reason: 'stalled' });
        });
  const stop = (): ToolOutcome =>
    late
      ? { status: 'stopped', output: `${tool.name} was stopped after ${bound / 1000} s, its time limit.` }
      : stopped(scope);
  const outcome = await guard<ToolOutcome>(() => tool.execute(args, contextOf(run, call, scope)), {
    clock,
    signal: scope.signal,
    // A helper that is stopped has this grace itself, and so have those below it.
    graceMs:
      tool.family === 'delegate'
        ? limits.stop_grace_ms * (run.state.spec.authority.depth_left + 1)
        : limits.stop_grace_ms,
    onLate: stop,
    onError: (error) =>
      scope.reason ? stop() : { status: 'error', output: `${tool.name} failed: ${messageOf(error)}` },
  });
  timer?.cancel();
  scope.close();
  return late ? stop() : outcome;
}

function contextOf(run: LiveRun, call: Execution, scope: Scope<StopReason>): ToolContext {
  const { callId, again } = call;
  const { spec, run_id } = run.state;
  return {
    runId: run_id,
    callId,
    cwd: spec.cwd,
    authority: spec.authority,
    workspace: run.equipment.workspace,
    signal: scope.signal,
    writeTodo: (items) => run.record({ type: 'todo.written', items }),
    delegate: (args) => run.equipment.delegate(run, args, { callId, again, signal: scope.signal }),
  };
}

function stopped(scope: Scope<StopReason>): ToolOutcome {
  const why = scope.reason?.reason === 'wall' ? 'the time of this run is nearly used up' : 'this run is being stopped';
  return { status: 'stopped', output: `Not finished: ${why}.` };
}

function cutResult(run: LiveRun, output: string): string {
  const limit = run.services.limits.tool_result_characters;
  return cutHeadAndTail(output, limit, (cut) => `\n[… ${cut} characters cut …]\n`).text;
}
