import { parseJson } from '../../src/base/json.ts';
import { parseBrief } from '../../src/domain/brief/brief.ts';
import type { Role } from '../../src/domain/role/role.ts';
import type { Message, ToolCall, ToolResult } from '../../src/domain/run/message.ts';
import { createFiles } from '../../src/host/files/create-files.ts';
import { createOfflineModel } from '../../src/models/offline/index.ts';
import type { Model, ModelAnswer, ToolDeclaration } from '../../src/ports/model.ts';
import type { Tool, ToolOutcome } from '../../src/ports/tool.ts';
import { renderSystem } from '../../src/prompts/system.ts';
import { renderAnswer, renderOpening } from '../../src/prompts/turns.ts';
import { createTools } from '../../src/tools/index.ts';

/** What one run of the small loop below did. */
export interface Driven {
  readonly answer: string;
  readonly steps: number;
  readonly calls: readonly {
    readonly name: string;
    readonly args: string;
    readonly output: string;
    readonly error: boolean;
  }[];
  readonly helpers: readonly (Driven & { readonly title: string; readonly task: string })[];
  readonly messages: readonly Message[];
}

export interface DriveOptions {
  readonly kind?: 'root' | 'helper';
  /** Tool names that are on offer; default: all that the kind has. */
  readonly tools?: readonly string[];
  /** Replaces the outcome of a call, where it gives one. */
  readonly intercept?: (call: ToolCall) => { readonly output: string; readonly error: boolean } | undefined;
  /** What was said before, in the same session. */
  readonly before?: readonly Message[];
}

/** Far above what the model may need. */
const MOST_STEPS = 12;
const model = createOfflineModel('extract') as Model;
const tools = createTools();
const files = createFiles();

/** Drives the offline model over a real folder with the real tools, as the engine does: helpers included. */
export async function drive(folder: string, text: string, options: DriveOptions = {}): Promise<Driven> {
  const kind = options.kind ?? 'root';
  const names =
    options.tools ??
    (kind === 'root' ? ['agent', 'read', 'list', 'search', 'find'] : ['read', 'list', 'search', 'find']);
  const offer = tools.filter((tool) => names.includes(tool.name));
  const families = [...new Set(offer.map((tool) => tool.family))];
  const system = renderSystem({ kind, role: 'scout', cwd: folder, families, instructions: [] });
  const opening = kind === 'helper' && !text.includes('QUESTION') ? renderOpening({ task: text, context: null }) : text;
  const messages: Message[] = [...(options.before ?? []), { role: 'user', text: opening }];
  const calls: Driven['calls'][number][] = [];
  const helpers: Driven['helpers'][number][] = [];
  const run = { folder, options, helpers };
  for (let steps = 1; steps <= MOST_STEPS; steps++) {
    const answer = await ask(system, messages, offer);
    messages.push({ role: 'assistant', text: answer.text, calls: answer.calls });
    if (answer.calls.length === 0) return { answer: answer.text, steps, calls, helpers, messages };
    const results = await Promise.all(answer.calls.map((call) => execute(call, offer, run)));
    calls.push(
      ...answer.calls.map((call, index) => ({
        name: call.name,
        args: call.args,
        output: results[index]?.text ?? '',
        error: results[index]?.error ?? true,
      })),
    );
    messages.push({ role: 'tool', results });
  }
  throw new Error(`the offline model did not end within ${MOST_STEPS} steps: ${text}`);
}

async function ask(system: string, messages: readonly Message[], offer: readonly Tool[]): Promise<ModelAnswer> {
  let streamed = '';
  const declared: ToolDeclaration[] = offer.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  const observer = {
    text: (delta: string) => {
      streamed += delta;
    },
    alive: () => {},
  };
  const outcome = await model.call(
    { system, messages, tools: declared, effort: null },
    observer,
    new AbortController().signal,
  );
  if (outcome.kind === 'fault') throw new Error(outcome.fault.message);
  if (streamed !== outcome.text) throw new Error('what was streamed is not the answer');
  return outcome;
}

interface RunContext {
  readonly folder: string;
  readonly options: DriveOptions;
  readonly helpers: Driven['helpers'][number][];
}

async function execute(call: ToolCall, offer: readonly Tool[], run: RunContext): Promise<ToolResult> {
  const replaced = run.options.intercept?.(call);
  if (replaced) return { call_id: call.call_id, name: call.name, text: replaced.output, error: replaced.error };
  const tool = offer.find((candidate) => candidate.name === call.name);
  const args = parseJson(call.args);
  if (!tool || !args.ok) throw new Error(`a call that cannot be: ${call.name} ${call.args}`);
  const read = tool.parse(args.value);
  if (!read.ok) throw new Error(`${call.name} refused ${call.args}: ${read.error}`);
  const outcome = await tool.execute(read.value, {
    runId: 'run_test',
    callId: call.call_id,
    cwd: run.folder,
    authority: {
      mode: 'plan',
      risks: ['none', 'read'],
      allow: null,
      deny: [],
      families: null,
      read_roots: [run.folder],
      commands: 'none',
      network: false,
      depth_left: 1,
      unattended: true,
    },
    workspace: files.workspace(run.folder),
    signal: new AbortController().signal,
    writeTodo: () => {},
    delegate: (given) => delegate(given, run),
  });
  return { call_id: call.call_id, name: call.name, text: outcome.output, error: outcome.status !== 'ok' };
}

async function delegate(given: unknown, run: RunContext): Promise<ToolOutcome> {
  const brief = parseBrief(given);
  if (!brief.ok) return { status: 'error', output: brief.error };
  const role: Role = brief.value.role ?? 'worker';
  const helper = await drive(run.folder, renderOpening(brief.value), {
    kind: 'helper',
    ...(run.options.intercept && { intercept: run.options.intercept }),
  });
  run.helpers.push({ ...helper, title: brief.value.title, task: brief.value.task });
  const facts = {
    run_id: 'run_helper',
    role,
    model: model.name,
    state: 'completed',
    reason: null,
    calls: helper.calls.length,
    seconds: 0,
  };
  const output = renderAnswer({
    ...facts,
    title: brief.value.title,
    tools: helper.calls.map((call) => call.name),
    note: 'Another model wrote this; check what you rely on.',
    answer: helper.answer,
  });
  return { status: 'ok', output };
}
