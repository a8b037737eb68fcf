import { z } from 'zod';
import type { SearchMatches, SearchRequest } from '../../ports/files.ts';
import type { Tool, ToolOutcome } from '../../ports/tool.ts';
import { promptText } from '../../prompts/text.ts';
import { defineArguments } from '../shared/arguments.ts';
import { failed, fittingLines, MOST_OUTPUT, shownPath, succeeded } from '../shared/outcome.ts';

const MOST_MATCHES = 200;
const LONGEST_LINE = 300;
const FRAME = 1_000;
const SHOWN_PATTERN = 200;

const args = defineArguments('search', {
  pattern: z.string().min(1).describe('A regular expression (Rust syntax, line by line), or a plain text with fixed.'),
  path: z.string().optional().describe('Folder or file to search, from the workspace root. Default: the root.'),
  glob: z
    .string()
    .optional()
    .describe('Only files that fit, such as *.ts or src/**/*.py; with a slash: from the folder that is searched.'),
  fixed: z.boolean().optional().describe('Take the pattern as plain text.'),
  ignore_case: z.boolean().optional().describe('Capital and small letters count as equal.'),
  whole_word: z.boolean().optional().describe('Only where the match is a whole word.'),
});

interface Args {
  readonly pattern: string;
  readonly path?: string | undefined;
  readonly glob?: string | undefined;
  readonly fixed?: boolean | undefined;
  readonly ignore_case?: boolean | undefined;
  readonly whole_word?: boolean | undefined;
}

/** Lines of files that fit a pattern. */
export function createSearchTool(): Tool<Args> {
  return {
    name: 'search',
    risk: 'read',
    family: 'files',
    description: promptText('tools/search/describe'),
    parameters: args.parameters,
    parse: args.parse,
    async execute(given, { workspace, signal }) {
      const found = await workspace.search(requestOf(given), signal);
      return found.ok ? show(given, found.value) : failed(found.error);
    },
  };
}

function requestOf({ pattern, path, glob, fixed, ignore_case, whole_word }: Args): SearchRequest {
  return {
    pattern,
    ...(path && { path }),
    ...(glob && { glob }),
    fixed: fixed ?? false,
    ignoreCase: ignore_case ?? false,
    wholeWord: whole_word ?? false,
    maxMatches: MOST_MATCHES,
    maxLine: LONGEST_LINE,
  };
}

function show({ pattern, path, glob }: Args, { matches, more }: SearchMatches): ToolOutcome {
  const searched = path || '.';
  const lines = matches.map((match) => `${shownPath(match.path)}:${match.line}: ${match.text}`);
  const shown = fittingLines(lines, MOST_OUTPUT - FRAME);
  const facts = { searched, pattern, matches: shown.length, ...(glob && { glob }) };
  if (shown.length === 0 && !more) {
    const where = `${path ? ` in ${shownPath(path)}` : ''}${glob ? ` (files ${glob})` : ''}`;
    return succeeded(`No match for ${JSON.stringify(pattern.slice(0, SHOWN_PATTERN))}${where}.`, facts);
  }
  const cut = more || shown.length < matches.length;
  const tail = cut
    ? [`(Cut after ${shown.length} matches, there may be more: narrow the search by pattern, path or glob.)`]
    : [];
  return succeeded([...shown, ...tail].join('\n'), facts);
}
