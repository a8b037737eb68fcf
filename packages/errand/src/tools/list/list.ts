import { z } from 'zod';
import type { Listing } from '../../ports/files.ts';
import type { Tool, ToolOutcome } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { defineArguments } from '../shared/arguments.ts';
import { entryLine } from '../shared/entries.ts';
import { failed, fittingLines, MOST_OUTPUT, shownPath, succeeded } from '../shared/outcome.ts';

const MOST_ENTRIES = 500;
const FRAME = 1_000;

const args = defineArguments('list', {
  path: z.string().optional().describe('The folder, from the workspace root. Default: the root.'),
});

/** What lies in one folder. */
export function createListTool(): Tool<{ readonly path?: string | undefined }> {
  return {
    name: 'list',
    risk: 'read',
    family: 'files',
    description: promptText('tools/list/describe'),
    parameters: args.parameters,
    parse: args.parse,
    async execute({ path }, { workspace, signal }) {
      const listing = await workspace.list({ path: path || '.', limit: MOST_ENTRIES }, signal);
      return listing.ok ? show(listing.value) : failed(listing.error);
    },
  };
}

function show({ path, entries, more }: Listing): ToolOutcome {
  const facts = { listed: path };
  if (entries.length === 0) return succeeded(`${shownPath(path)} is an empty folder.`, facts);
  const lines = fittingLines(entries.map(entryLine), MOST_OUTPUT - FRAME);
  const left = more + entries.length - lines.length;
  const tail = left > 0 ? [`(${left} more entries are not shown; use find with a glob to see some of them.)`] : [];
  return succeeded([...lines, ...tail].join('\n'), facts);
}
