import type { Command } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import { unlessSwept } from '../app/store-fault.ts';
import type { RunRecord } from '../domain/run/record.ts';
import type { HelperResult, RunResult } from '../domain/run/result.ts';
import { isEnded } from '../domain/run/status.ts';
import { addUsage, NO_USAGE } from '../domain/run/usage.ts';
import { printable, printableText } from '../terminal/text.ts';
import { elapsed, foldNames, GLYPHS, stateInWords, taken, tokens, tokensKnown } from '../terminal/words.ts';
import { withService } from './around/open.ts';
import type { CommandRuntime, Ending, Surroundings } from './around/surroundings.ts';
import { branchOf, findRun } from './find-run.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { howToGoOn } from './how-to-go-on.ts';
import { durationOf, timeOf } from './pages/run-time.ts';

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
      const branch = branchOf(record.run_id, await runtime.records({ rootId: record.root_id }));
      const now = around.clock.now();
      const { conversation, goOn, ...found } = await read(runtime, record);
      const result = asItIs(found.result, branch, now);
      around.stdout.write(
        format === 'json'
          ? `${JSON.stringify({ ...result, record, conversation })}\n`
          : page({ record, branch, result, conversation, goOn, now }),
      );
      return EXIT.completed;
    });
  });
}

/** What can be had of a run beside its record. */
interface Read {
  /** Null: it is not there. */
  readonly result: RunResult | null;
  /** `swept`: deleted, as retention says; there is no result without it. */
  readonly conversation: 'kept' | 'swept';
  readonly goOn: string | null;
}

function read(runtime: CommandRuntime, record: RunRecord): Promise<Read> {
  const whole = async (): Promise<Read> => {
    const result = await runtime.result(record.run_id);
    return { result, conversation: 'kept', goOn: await howToGoOn(runtime, record) };
  };
  return unlessSwept(whole(), (): Read => ({ result: null, conversation: 'swept', goOn: null }));
}

/** The result, with states and times as the records have them: of what still works, and of what a dead process left behind. */
function asItIs(result: RunResult | null, records: readonly RunRecord[], now: number): RunResult | null {
  if (result === null) return null;
  const known = new Map(records.map((record) => [record.run_id, record]));
  const own = known.get(result.run_id);
  return {
    ...result,
    ...(own ? { state: own.state, reason: own.reason } : {}),
    ...(own?.ended_at === null ? { duration_ms: durationOf(own, now) } : {}),
    helpers: result.helpers.map((helper) => {
      const record = known.get(helper.run_id);
      if (!record) return helper;
      return { ...helper, state: record.state, reason: record.reason, duration_ms: durationOf(record, now) };
    }),
  };
}

interface Shown extends Read {
  readonly record: RunRecord;
  /** The run and everything below it. */
  readonly branch: readonly RunRecord[];
  readonly now: number;
}

function page({ record, branch, result, conversation, goOn, now }: Shown): string {
  const usage = result?.usage.total ?? branch.reduce((sum, run) => addUsage(sum, run.usage), NO_USAGE);
  const below = result?.helpers ?? helpersOf(record, branch, now);
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
  const helpers = below.map((helper) => `${helperLine(helper)}\n`).join('');
  const hint = helpers && conversation === 'kept' ? '  (the answer of one: errand show <its id>)\n' : '';
  const text = conversation === 'swept' ? NOT_KEPT : printableText(result?.answer ?? '');
  const answer = text && `\n${text}\n`;
  return `${head}${helpers && `\nhelpers\n${helpers}${hint}`}${answer}`;
}

const NOT_KEPT = 'Its conversation and its answer are no longer kept (retention.hidden_days).';

/** What the records say of everything below a run. */
function helpersOf({ run_id }: RunRecord, branch: readonly RunRecord[], now: number): readonly HelperResult[] {
  const below = branch.filter((record) => record.run_id !== run_id);
  return below.map((record) => ({ ...record, duration_ms: durationOf(record, now) }));
}

const TODO_GLYPHS = { pending: GLYPHS.queued, in_progress: GLYPHS.running, completed: GLYPHS.completed } as const;

function tokensInWords(usage: RunResult['usage']['total']): string {
  const { unknown_calls } = usage;
  const known = (count: number) => tokensKnown(count, unknown_calls);
  const untold = unknown_calls > 0 ? `, ${unknown_calls} ${unknown_calls === 1 ? 'call' : 'calls'} untold` : '';
  return `${known(usage.input)} in (${tokens(usage.cached)} cached), ${known(usage.output)} out${untold}`;
}

/** Name, status, calls made, seconds taken and which tools. Source: DEL-9. */
function helperLine(helper: HelperResult): string {
  const calls = helper.tool_calls.length === 1 ? '1 call' : `${helper.tool_calls.length} calls`;
  const names = helper.tool_calls.length > 0 ? ` (${printable(foldNames(helper.tool_calls))})` : '';
  const state = `${stateInWords(helper)}${helper.partial ? ', partial' : ''}`;
  const { input, output, unknown_calls } = helper.usage;
  const time = isEnded(helper.state) ? taken(helper.duration_ms) : elapsed(helper.duration_ms);
  const name = `${printable(helper.role)} "${printable(helper.title)}"`;
  return `  ${GLYPHS[helper.state]} ${helper.run_id} ${name}: ${state}, ${time}, ${tokensKnown(input + output, unknown_calls)} tokens, ${calls}${names}`;
}
