import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { RunRecord } from '../domain/run/record.ts';
import type { HelperResult, RunResult } from '../domain/run/result.ts';
import { printable, printableText } from '../terminal/text.ts';
import { elapsed, foldNames, GLYPHS, stateInWords, taken, tokens } from '../terminal/words.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { findRun } from './find-run.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { howToGoOn } from './how-to-go-on.ts';

/** `errand show <run>`: what a run is, how it ended, and its answer. */
export function addShow(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('show')
    .summary('show one run and its answer')
    .description('Shows one run: its state, its helpers and its answer.')
    .argument('<run>', 'its id, the beginning of its id, or its title');
  addReadingFormat(command).action(async (run: string) => {
    const format = readingFormatOf(command);
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const record = await findRun(runtime, run);
      const result = await runtime.result(record.run_id);
      const goOn = await howToGoOn(runtime, record);
      around.stdout.write(
        format === 'json'
          ? `${JSON.stringify({ ...result, record })}\n`
          : page({ record, result, goOn, now: around.clock.now() }),
      );
      return EXIT.completed;
    });
  });
}

function page(shown: {
  readonly record: RunRecord;
  readonly result: RunResult | null;
  readonly goOn: string | null;
  readonly now: number;
}): string {
  const { record, result, goOn, now } = shown;
  const usage = result?.usage.total ?? record.usage;
  const facts: readonly (readonly [string, string])[] = [
    ['run', record.run_id],
    ...(record.parent_id === null ? [] : [['parent', record.parent_id] as const]),
    ['title', printable(record.title)],
    ['state', `${stateInWords(record)}${record.partial ? ', partial' : ''}`],
    ...(result?.message && result.message !== record.state ? [['ended', printable(result.message)] as const] : []),
    ...(goOn === null ? [] : [['go on', goOn] as const]),
    ['role', printable(record.role)],
    ['model', printable(record.model)],
    ['folder', printable(record.cwd)],
    ['created', new Date(record.created_at).toISOString()],
    ['time', timeOf(record, now)],
    ['steps', String(record.steps)],
    ['calls', printable(foldNames(record.tool_calls)) || 'none'],
    ['tokens', tokensInWords(usage)],
    ...record.todo.map((item) => ['to-do', `${TODO_GLYPHS[item.status]} ${printable(item.text)}`] as const),
  ];
  const head = facts.map(([name, value]) => `${name.padEnd(9)}${value}\n`).join('');
  const helpers = (result?.helpers ?? []).map((helper) => `${helperLine(helper)}\n`).join('');
  const answer = result?.answer ? `\n${printableText(result.answer)}\n` : '';
  return `${head}${helpers && `\nhelpers\n${helpers}`}${answer}`;
}

function timeOf({ created_at, started_at, ended_at }: RunRecord, now: number): string {
  const since = started_at ?? created_at;
  return ended_at === null ? elapsed(now - since) : taken(ended_at - since);
}

const TODO_GLYPHS = { pending: GLYPHS.queued, in_progress: GLYPHS.running, completed: GLYPHS.completed } as const;

function tokensInWords(usage: RunResult['usage']['total']): string {
  const unknown = usage.unknown_calls > 0 ? `, ${usage.unknown_calls} calls untold` : '';
  return `${tokens(usage.input)} in (${tokens(usage.cached)} cached), ${tokens(usage.output)} out${unknown}`;
}

/** Name, status, calls made, seconds taken and which tools. Source: DEL-9. */
function helperLine(helper: HelperResult): string {
  const calls = helper.tool_calls.length === 1 ? '1 call' : `${helper.tool_calls.length} calls`;
  const names = helper.tool_calls.length > 0 ? ` (${printable(foldNames(helper.tool_calls))})` : '';
  const state = `${stateInWords(helper)}${helper.partial ? ', partial' : ''}`;
  const name = `${printable(helper.role)} "${printable(helper.title)}"`;
  return `  ${GLYPHS[helper.state]} ${helper.run_id} ${name}: ${state}, ${taken(helper.duration_ms)}, ${calls}${names}`;
}
