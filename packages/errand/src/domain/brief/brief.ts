import { isJsonObject } from '../../base/json.ts';
import { fail, type Result, succeed } from '../../base/result.ts';
import { firstLine } from '../../base/text.ts';
import { parseRole, type Role } from '../role/role.ts';

/** What a helper is given, as asked for by `agent`. */
export interface Brief {
  readonly task: string;
  readonly title: string;
  readonly context: string | null;
  /** Null: the one of the run that is continued, else worker. */
  readonly role: Role | null;
  /** `<connection>/<id>`, or null for the configured or the parent's. */
  readonly model: string | null;
  /** A folder inside the workspace, as written; null for the parent's. */
  readonly cwd: string | null;
  /** A helper of this run whose transcript the new one begins with. */
  readonly resumeFrom: string | null;
}

const TITLE_LENGTH = 200;
const TITLE_FROM_TASK = 60;
/** Characters of a task or a context. */
export const TASK_LENGTH = 500_000;

/** Fields that belong to the contract and cannot be honoured yet, with the value that asks for nothing. */
const LATER: Readonly<Record<string, unknown>> = {
  profile: null,
  tools: null,
  write: false,
  write_scope: null,
  worktree: false,
  fork: false,
  context_turns: null,
  context_window: null,
  context_include: null,
  background: false,
  dependencies: null,
  acceptance: null,
  expected_artifacts: null,
  output_schema: null,
};
const NOW = ['task', 'title', 'context', 'role', 'model', 'cwd', 'resume_from'] as const;

/** Reads the arguments of `agent`. Null and blank mean absent; everything else unknown or mistyped is refused by name. */
export function parseBrief(args: unknown): Result<Brief, string> {
  if (!isJsonObject(args)) return fail('The arguments of "agent" must be an object with at least "task".');
  const texts: Partial<Record<(typeof NOW)[number], string>> = {};
  for (const [key, value] of Object.entries(args)) {
    if (isAbsent(value)) continue;
    const name = NOW.find((known) => known === key);
    if (name) {
      if (typeof value !== 'string') return fail(`"${key}" must be a text, not ${kindOf(value)}.`);
      texts[name] = value;
    } else if (Object.hasOwn(LATER, key)) {
      if (value !== LATER[key])
        return fail(`"${key}" is not available in this version of Errand: leave it out. Available: ${NOW.join(', ')}.`);
    } else {
      return fail(`"agent" has no field "${key}". Available: ${NOW.join(', ')}.`);
    }
  }
  return check(texts);
}

function check(texts: Partial<Record<(typeof NOW)[number], string>>): Result<Brief, string> {
  const task = texts.task?.trim();
  if (!task)
    return fail('"task" is missing: say in full what the helper is to do; it sees nothing of this conversation.');
  for (const key of ['task', 'context'] as const) {
    const length = texts[key]?.length ?? 0;
    if (length > TASK_LENGTH)
      return fail(`"${key}" is ${length} characters long; ${TASK_LENGTH} at most. Name files to read instead.`);
  }
  if ((texts.title?.length ?? 0) > TITLE_LENGTH) return fail(`"title" is longer than ${TITLE_LENGTH} characters.`);
  const role = texts.role === undefined ? succeed(null) : parseRole(texts.role);
  if (!role.ok) return fail(`"role": ${role.error}`);
  return succeed({
    task,
    title: titleOf(texts.title, task),
    context: texts.context?.trim() || null,
    role: role.value,
    model: texts.model?.trim() || null,
    cwd: texts.cwd?.trim() || null,
    resumeFrom: texts.resume_from?.trim() || null,
  });
}

/** The title as it was given, on one line and cut to its bound; else one that is made of the task. */
export function titleOf(given: string | undefined, task: string): string {
  return firstLine(given ?? '', TITLE_LENGTH) || firstLine(task, TITLE_FROM_TASK);
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
