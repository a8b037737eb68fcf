import type { Json } from '../../src/base/json.ts';
import type { Authority } from '../../src/domain/authority/authority.ts';
import type { TodoItem } from '../../src/domain/run/event.ts';
import type { Workspace } from '../../src/ports/files.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../src/ports/tool.ts';
import { createTools } from '../../src/tools/index.ts';

const AUTHORITY: Authority = {
  mode: 'plan',
  risks: ['none', 'read'],
  allow: null,
  deny: [],
  families: null,
  read_roots: [],
  commands: 'none',
  network: false,
  depth_left: 0,
  unattended: true,
};

/** What a run gives to a tool, with what the tool did to it. */
export interface TestContext extends ToolContext {
  readonly todos: (readonly TodoItem[])[];
  readonly delegated: unknown[];
}

export function contextFor(workspace: Workspace, signal: AbortSignal = new AbortController().signal): TestContext {
  const todos: (readonly TodoItem[])[] = [];
  const delegated: unknown[] = [];
  return {
    runId: 'run_1',
    callId: 'call_1',
    cwd: workspace.root,
    authority: { ...AUTHORITY, read_roots: [workspace.root] },
    workspace,
    signal,
    todos,
    delegated,
    writeTodo: (items) => void todos.push(items),
    delegate: async (args) => {
      delegated.push(args);
      return { status: 'ok', output: 'the answer' };
    },
  };
}

export function toolNamed(name: string): Tool {
  const tool = createTools().find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** Parses and executes; arguments that are refused count as a mistake of the test. */
export async function use(name: string, args: Json, context: ToolContext): Promise<ToolOutcome> {
  const tool = toolNamed(name);
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.error);
  return tool.execute(parsed.value, context);
}
