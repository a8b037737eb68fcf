import { z } from 'zod';
import type { ReadLines } from '../../ports/files.ts';
import type { Tool, ToolOutcome } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { defineArguments } from '../shared/arguments.ts';
import { failed, fittingLines, MOST_OUTPUT, shownPath, succeeded } from '../shared/outcome.ts';

const MOST_BYTES = 26_000;
const LONGEST_LINE = 2_000;
/** Room for the first and the last line of a result. */
const FRAME = 1_000;
const NUMBER_WIDTH = 5;

const line = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
const args = defineArguments('read', {
  path: z.string().min(1).describe('The file, from the workspace root.'),
  from: line.optional().describe('First line, counted from 1. Default: 1.'),
  to: line.optional().describe('Last line, included. Default: the end of the file.'),
});

type Args = { readonly path: string; readonly from?: number | undefined; readonly to?: number | undefined };

/** Lines of a text file, numbered. */
export function createReadTool(): Tool<Args> {
  return {
    name: 'read',
    risk: 'read',
    family: 'files',
    description: promptText('tools/read/describe'),
    parameters: args.parameters,
    parse(given) {
      const read = args.parse(given);
      if (!read.ok) return read;
      const { from = 1, to } = read.value;
      if (to === undefined || to >= from) return read;
      return { ok: false, error: `"to" (${to}) must not be less than "from" (${from}).` };
    },
    async execute({ path, from, to }, { workspace, signal }) {
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      const read = await workspace.read({ path, ...range, maxBytes: MOST_BYTES, maxLine: LONGEST_LINE }, signal);
      return read.ok ? show(read.value) : failed(read.error);
    },
  };
}

function show(file: ReadLines): ToolOutcome {
  const path = shownPath(file.path);
  const { first, total } = file;
  if (file.lines.length === 0) {
    if (total === 0) return succeeded(`${path} is empty.`, { read: file.path, lines: [0, 0] });
    return { status: 'error', output: `${path} has ${count(total ?? 0)}; there is no line ${first}.` };
  }
  const numbered = file.lines.map((text, index) => `${String(first + index).padStart(NUMBER_WIDTH)}\t${text}`);
  const lines = fittingLines(numbered, MOST_OUTPUT - FRAME);
  const last = first + lines.length - 1;
  const encoding = file.encoding === 'utf-8' ? '' : `, ${file.encoding}`;
  const head = `${path} (lines ${first}-${last} of ${total ?? 'more'}${encoding})`;
  const more = file.more || lines.length < file.lines.length;
  const tail = more ? [`(There is more: read on with from: ${last + 1}.)`] : [];
  return succeeded([head, ...lines, ...tail].join('\n'), { read: file.path, lines: [first, last] });
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`;
}
