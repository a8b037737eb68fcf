import type { Tool } from '../ports/tool.ts';
import { createAgentTool } from './agent/agent.ts';
import { createFindTool } from './find/find.ts';
import { createListTool } from './list/list.ts';
import { createReadTool } from './read/read.ts';
import { createSearchTool } from './search/search.ts';
import { createTodoTool } from './todo/todo.ts';

/** All tools, in the order in which models are told about them. */
export function createTools(): readonly Tool[] {
  return [
    createAgentTool(),
    createReadTool(),
    createListTool(),
    createSearchTool(),
    createFindTool(),
    createTodoTool(),
  ];
}
