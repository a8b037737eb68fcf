import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { RunRecord } from '../domain/run/record.ts';
import { printable } from '../terminal/text.ts';
import { elapsed, GLYPHS, stateInWords, taken, tokens } from '../terminal/words.ts';
import { withService } from './around/open.ts';
import type { Ending, Surroundings } from './around/surroundings.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
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
      const records = await runtime.records(options.all ? {} : { since: now - DAY });
      around.stdout.write(
        format === 'json' ? `${JSON.stringify({ runs: records.map(jsonOf) })}\n` : listing(records, now),
      );
      return EXIT.completed;
    });
  });
}

/** A run as programs are shown it. Times in milliseconds since the epoch. */
function jsonOf(record: RunRecord): object {
  const { run_id, parent_id, root_id, session_id, title, role, model, state, reason } = record;
  const { created_at, started_at, ended_at } = record;
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
  };
}

function listing(records: readonly RunRecord[], now: number): string {
  if (records.length === 0) return 'No runs.\n';
  const rows = inTreeOrder(records).map(({ record, depth }) => [
    record.run_id,
    elapsed(now - record.created_at),
    `${GLYPHS[record.state]} ${stateInWords(record)}`,
    printable(record.role),
    printable(record.model),
    timeOf(record, now),
    tokens(record.usage.input + record.usage.output),
    `${'  '.repeat(depth)}${printable(record.title)}`,
  ]);
  return table(['RUN', 'AGE', 'STATE', 'ROLE', 'MODEL', 'TIME', 'TOKENS', 'TITLE'], rows);
}

/** Time at work: until now, or what it took. */
function timeOf({ created_at, started_at, ended_at }: RunRecord, now: number): string {
  const since = started_at ?? created_at;
  return ended_at === null ? elapsed(now - since) : taken(ended_at - since);
}

/** Roots from new to old, each with its helpers below it in order of creation. */
function inTreeOrder(records: readonly RunRecord[]): { readonly record: RunRecord; readonly depth: number }[] {
  const known = new Set(records.map(({ run_id }) => run_id));
  const below = Map.groupBy(records, ({ parent_id }) =>
    parent_id !== null && known.has(parent_id) ? parent_id : null,
  );
  const walk = (record: RunRecord, depth: number): { record: RunRecord; depth: number }[] => [
    { record, depth },
    ...(below.get(record.run_id) ?? []).flatMap((child) => walk(child, depth + 1)),
  ];
  return (below.get(null) ?? []).toReversed().flatMap((root) => walk(root, 0));
}
