import { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { fail, succeed } from '../../base/result.ts';
import { BUILT_ROLES } from '../../domain/role/role.ts';
import type { Tool } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { schemaOf } from '../shared/arguments.ts';

/** What is offered. What is accepted is decided by the brief, where the helper is made. */
const offered = z.strictObject({
  task: z
    .string()
    .describe('The whole task, with everything the helper must know: it sees nothing of this conversation.'),
  title: z.string().optional().describe('A few words for lists.'),
  context: z.string().optional().describe('What you already know and the helper should not find out again.'),
  role: z.enum(BUILT_ROLES).optional().describe('How the helper works and what it may touch. Default: worker.'),
  model: z.string().optional().describe('Default: the configured one, or yours.'),
  resume_from: z
    .string()
    .optional()
    .describe('Id of an earlier helper of yours that is at rest: the new one begins with its conversation.'),
  cwd: z
    .string()
    .optional()
    .describe('Folder of the workspace in which it works. Default: yours, or that of the helper that is continued.'),
});

/** Hands work to a helper and waits for its answer. */
export function createAgentTool(): Tool<JsonObject> {
  return {
    name: 'agent',
    risk: 'read',
    family: 'delegate',
    description: promptText('tools/agent/describe'),
    parameters: schemaOf(offered),
    parse: (args) =>
      isJsonObject(args) ? succeed(args) : fail('The arguments of "agent" must be an object with at least "task".'),
    execute: (args, context) => context.delegate(args),
  };
}
