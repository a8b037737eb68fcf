import { isJsonObject, type JsonObject, parseJson } from '../../base/json.ts';
import type { Message, ToolCall } from '../../domain/run/message.ts';
import type { ModelRequest, ToolDeclaration } from '../../ports/model.ts';

/** A tool call of this turn with what came of it. */
export interface Done {
  readonly name: string;
  readonly args: JsonObject;
  readonly text: string;
  readonly error: boolean;
}

/** The part of the workspace that a task is about. */
export interface Scope {
  /** Folders with all that is in them, or files; relative to the workspace. */
  readonly paths: readonly string[];
  /** Folders of which only the files right in them are meant; empty for the workspace itself. */
  readonly shallow: readonly string[];
}

/** All of the workspace. */
const EVERYWHERE: Scope = { paths: [], shallow: [] };

/** Where a run stands, read from its transcript alone. */
export interface Turn {
  readonly helper: boolean;
  /** What is asked, without the lines that are addressed to the machine. */
  readonly task: string;
  /** What the turn before asked, where there was one. */
  readonly earlier: string | null;
  readonly scope: Scope;
  /** The folder of the workspace, where the instructions name it. */
  readonly cwd: string;
  /** The steps since the task was given, each with its calls. */
  readonly rounds: readonly (readonly Done[])[];
  readonly tools: ReadonlyMap<string, ToolDeclaration>;
  /** No more looking: this answer is the last. */
  readonly mustReport: boolean;
  /** Calls in the whole transcript, so that ids never meet. */
  readonly calls: number;
}

/** What the offline root tells every scout, and the offline scout leaves out of its search terms. */
export const INSTRUCTION =
  'Search the workspace, read the places that matter, and bring back the lines that answer this with `path:line`.';
const HELPER_MARK = /^You are a helper\.$/mu;
/** Turns that the runtime adds: they ask nothing new. */
const REPORT_REQUEST = /^Your limit of .{1,40} is nearly used up/u;
const NOTE =
  /^(?:You were interrupted at a limit|Go on from where this conversation ended|The conversation so far no longer fits)/u;
/** The result of a call for which there was no tool any more: it may be made again. */
const NOT_CARRIED_OUT = /^Not carried out: no tools were on offer/u;

export function readTurn(request: ModelRequest): Turn {
  const helper = HELPER_MARK.test(request.system);
  const turns = request.messages.flatMap((message, index) =>
    message.role === 'user' ? [{ index, text: message.text }] : [],
  );
  const urged = REPORT_REQUEST.test(turns.at(-1)?.text ?? '');
  const openings = turns.filter(({ text }) => !REPORT_REQUEST.test(text) && !NOTE.test(text));
  // A helper has one task, its opening; what comes later only steers it.
  const opening = helper ? openings[0] : openings.at(-1);
  const text = opening?.text ?? '';
  return {
    helper,
    ...(helper ? splitScope(taskOf(text)) : { task: text, scope: EVERYWHERE }),
    cwd: /^Workspace: (.+)$/mu.exec(request.system)?.[1]?.trim() ?? '',
    earlier: helper ? null : (openings.at(-2)?.text ?? null),
    rounds: roundsOf(request.messages.slice((opening?.index ?? -1) + 1)),
    tools: new Map(request.tools.map((tool) => [tool.name, tool])),
    mustReport: urged || request.tools.length === 0,
    calls: request.messages.reduce(
      (sum, message) => sum + (message.role === 'assistant' ? message.calls.length : 0),
      0,
    ),
  };
}

/** The block under QUESTION up to the next heading in capitals; the whole text where there is none. */
function taskOf(opening: string): string {
  const lines = opening.split(/\r?\n/u);
  const start = lines.findIndex((line) => /^QUESTION:?(?:\s|$)/u.test(line));
  if (start < 0) return opening;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex(
    (line, index) => index > 0 && rest[index - 1]?.trim() === '' && /^[A-Z][A-Z_ ]{3,}:?\s*$/u.test(line),
  );
  const body = end < 0 ? rest : rest.slice(0, end);
  return [(lines[start] ?? '').replace(/^QUESTION:?\s*/u, ''), ...body].join('\n').trim();
}

/** The paths of the `SCOPE:` lines of a task. */
export function scopesIn(task: string): string[] {
  return [...task.matchAll(/^SCOPE: (.+)$/gmu)].map((match) => match[1] ?? '');
}

/** Takes `SCOPE: path` lines and the instruction for scouts out of a task. A path that ends in `/*` means the files right there. */
function splitScope(text: string): { task: string; scope: Scope } {
  const paths: string[] = [];
  const shallow: string[] = [];
  const kept: string[] = [];
  for (const line of text.split(/\r?\n/u)) {
    const path = /^\s*SCOPE:\s*(.+?)\s*$/u.exec(line)?.[1];
    if (path?.endsWith('/*')) shallow.push(folder(path.slice(0, -2)));
    else if (path) paths.push(folder(path));
    else if (line.trim() !== INSTRUCTION) kept.push(line);
  }
  const all = paths.includes('');
  return { task: kept.join('\n').trim(), scope: all ? EVERYWHERE : { paths, shallow } };
}

/** Without `./` in front and `/` behind; empty for the workspace itself. */
export function folder(path: string): string {
  return path.replace(/^(?:\.\/+)+|\/+$/gu, '').replace(/^\.$/u, '');
}

function roundsOf(messages: readonly Message[]): Done[][] {
  const rounds: Done[][] = [];
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map((result) => [result.call_id, result] as const) : [],
    ),
  );
  for (const message of messages) {
    if (message.role !== 'assistant' || message.calls.length === 0) continue;
    const done = message.calls.flatMap((call): Done[] => {
      const result = results.get(call.call_id);
      if (!result || NOT_CARRIED_OUT.test(result.text)) return [];
      return [{ name: call.name, args: argumentsOf(call), text: result.text, error: result.error }];
    });
    if (done.length > 0) rounds.push(done);
  }
  return rounds;
}

function argumentsOf(call: ToolCall): JsonObject {
  const parsed = parseJson(call.args);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
}
