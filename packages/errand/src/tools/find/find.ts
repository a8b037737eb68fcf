import { z } from 'zod';
import type { Listing } from '../../ports/files.ts';
import type { Tool, ToolOutcome } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { defineArguments } from '../shared/arguments.ts';
import { entryLine } from '../shared/entries.ts';
import { failed, fittingLines, MOST_OUTPUT, shownPath, succeeded } from '../shared/outcome.ts';

const MOST_ENTRIES = 500;
const FRAME = 1_000;

const args = defineArguments('find', {
  glob: z.string().min(1).describe('Such as *.test.ts (a name at any depth) or src/**/index.* (a path).'),
  path: z.string().optional().describe('Folder to look in, from the workspace root. Default: the root.'),
});

interface Args {
  readonly glob: string;
  readonly path?: string | undefined;
}

/** Files and folders whose name or path fits. */
export function createFindTool(): Tool<Args> {
  return {
    name: 'find',
    risk: 'read',
    family: 'files',
    description: promptText('tools/find/describe'),
    parameters: args.parameters,
    parse: args.parse,
    async execute(given, { workspace, signal }) {
      const { glob, path } = given;
      const found = await workspace.find({ glob, ...(path && { path }), limit: MOST_ENTRIES }, signal);
      return found.ok ? show(given, found.value) : failed(found.error);
    },
  };
}

function show({ glob, path }: Args, { entries, more }: Listing): ToolOutcome {
  const lines = fittingLines(entries.map(entryLine), MOST_OUTPUT - FRAME);
  const facts = { found: path || '.', glob, entries: lines.length };
  if (lines.length === 0) {
    return succeeded(`Nothing fits ${JSON.stringify(glob)}${path ? ` in ${shownPath(path)}` : ''}.`, facts);
  }
  const left = more + entries.length - lines.length;
  const tail = left > 0 ? [`(${left} more are not shown: narrow the glob or the path.)`] : [];
  return succeeded([...lines, ...tail].join('\n'), facts);
}
