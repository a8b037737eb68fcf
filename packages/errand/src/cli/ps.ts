import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { RunRecord } from '../domain/run/record.ts';
import { printable } from '../terminal/text.ts';
import { elapsed, GLYPHS, stateInWords, tokensKnown, waitingFor } from '../terminal/words.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { timeOf } from './pages/run-time.ts';
import { table } from './table.ts';

const DAY = 86_400_000;

/** `errand ps`: the runs that live, and the last day's. */
export function addPs(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('ps')
    .summary('list runs')
    .description("Lists the runs that live and the last day's.")
    .addOption(new Option('--all', 'list all runs that are kept'));
  addReadingFormat(command).action(async (options: { readonly all?: boolean }) => {
    const format = readingFormatOf(command);
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const now = around.clock.now();
      const runs = inTreeOrder(await runtime.records(options.all ? {} : { since: now - DAY }));
      around.stdout.write(
        format === 'json'
          ? `${JSON.stringify({ runs: runs.map(({ record }) => jsonOf(record)) })}\n`
          : listing(runs, now),
      );
      return EXIT.completed;
    });
  });
}

/** A run as programs are shown it. Times in milliseconds since the epoch. */
function jsonOf(record: RunRecord): object {
  const { run_id, parent_id, root_id, session_id, title, role, model, state, reason } = record;
  const { created_at, started_at, ended_at, steps, current_tool, waiting_on, usage } = record;
  return {
    run_id,
    parent_id,
    root_id,
    session_id,
    title,
    role,
    model,
    state,
    reason,
    created_at,
    started_at,
    ended_at,
    steps,
    current_tool,
    waiting_on,
    usage,
  };
}

function listing(runs: readonly Placed[], now: number): string {
  if (runs.length === 0) return 'No runs.\n';
  const rows = runs.map(({ record, depth }) => [
    record.run_id,
    elapsed(now - record.created_at),
    `${GLYPHS[record.state]} ${stateInWords(record)}`,
    doingOf(record),
    printable(record.role),
    printable(record.model),
    timeOf(record, now),
    tokensKnown(record.usage.input + record.usage.output, record.usage.unknown_calls),
    `${'  '.repeat(depth)}${printable(record.title)}`,
  ]);
  return table(['RUN', 'AGE', 'STATE', 'DOING', 'ROLE', 'MODEL', 'TIME', 'TOKENS', 'TITLE'], rows);
}

/** The tool that a live run uses, or what it waits for. */
function doingOf({ state, current_tool, waiting_on }: RunRecord): string {
  if (state === 'waiting') return waitingFor(waiting_on, null);
  return state === 'running' ? printable(current_tool ?? '') : '';
}

interface Placed {
  readonly record: RunRecord;
  readonly depth: number;
}

/** Roots from new to old, each with its helpers below it in order of creation. */
function inTreeOrder(records: readonly RunRecord[]): Placed[] {
  const known = new Set(records.map(({ run_id }) => run_id));
  const below = Map.groupBy(records, ({ parent_id }) =>
    parent_id !== null && known.has(parent_id) ? parent_id : null,
  );
  const walk = (record: RunRecord, depth: number): Placed[] => [
    { record, depth },
    ...(below.get(record.run_id) ?? []).flatMap((child) => walk(child, depth + 1)),
  ];
  return (below.get(null) ?? []).toReversed().flatMap((root) => walk(root, 0));
}
