import { z } from 'zod';
import type { TodoItem } from '../../domain/run/event.ts';
import type { Tool } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { defineArguments } from '../shared/arguments.ts';
import { succeeded } from '../shared/outcome.ts';

const MOST_ITEMS = 100;
const LONGEST_TEXT = 1_000;

const args = defineArguments('todo_write', {
  items: z
    .array(
      z.strictObject({
        text: z.string().min(1).max(LONGEST_TEXT).describe('What is to be done.'),
        status: z.enum(['pending', 'in_progress', 'completed']),
      }),
    )
    .max(MOST_ITEMS)
    .describe('The whole list, in order; it replaces the one before.'),
});

/** The run's own to-do list. */
export function createTodoTool(): Tool<{ readonly items: readonly TodoItem[] }> {
  return {
    name: 'todo_write',
    risk: 'none',
    family: 'todo',
    description: promptText('tools/todo/describe'),
    parameters: args.parameters,
    parse(given) {
      const read = args.parse(given);
      if (!read.ok) return read;
      const active = read.value.items.filter(({ status }) => status === 'in_progress').length;
      if (active <= 1) return read;
      return { ok: false, error: `"items" has ${active} entries in_progress; at most one may be.` };
    },
    async execute({ items }, context) {
      context.writeTodo(items);
      const completed = items.filter(({ status }) => status === 'completed').length;
      return succeeded(`The list is kept: ${completed} of ${items.length} completed.`, { todo: items.length });
    },
  };
}
