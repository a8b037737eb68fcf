import { messageOf } from '../../base/errors.ts';
import { addressOf } from '../shared/encode.ts';
import { FOLDED_RUNS, problemOf } from '../shared/soundness.ts';
import type { DatabaseSync } from './module.ts';
import type { Reader } from './reader.ts';
import { decodeRow, READABLE, type Row } from './records.ts';

/** At most so many findings of each kind are named. */
const NAMED = 20;

interface Question {
  /** Its first column is what `sentence` is about, once per finding. */
  readonly sql: string;
  readonly sentence: (what: string) => string;
}

/** Damage of single runs; a run is named with the first that finds it. */
const ABOUT_RUNS: readonly Question[] = [
  {
    sql: 'select run_id from runs where not json_valid(record)',
    sentence: (run) => `The row of ${run} is no JSON.`,
  },
  {
    sql: `select run_id from runs where not ${READABLE}`,
    sentence: (run) => `The row of ${run} is no record of it.`,
  },
  {
    sql: 'select distinct run_id from events where not json_valid(data)',
    sentence: (run) => `An event of ${run} is no JSON.`,
  },
  {
    sql: `select run_id from runs left join
            (select run_id, count(*) as count, max(seq) as last from events group by run_id) using (run_id)
          where swept = 0 and (coalesce(count, 0) <> seq or last <> seq)`,
    sentence: (run) => `Events of ${run} are missing.`,
  },
  {
    sql: 'select distinct run_id from events where run_id in (select run_id from runs where swept = 1)',
    sentence: (run) => `There are events of ${run}, whose conversation was deleted.`,
  },
  {
    sql: 'select distinct run_id from events where run_id not in (select run_id from runs)',
    sentence: (run) => `There are events of ${run}, but no row.`,
  },
  {
    sql: 'select distinct run_id from event_texts where address not in (select address from blobs)',
    sentence: (run) => `A long text of ${run} is missing.`,
  },
  {
    sql: `select distinct run_id from events, (select 'system' as name union all select 'tools')
          where seq = 1 and json_valid(data) and length(json_extract(data, '$.' || name)) = 64
            and json_extract(data, '$.' || name) not in (select address from blobs)`,
    sentence: (run) => `The system text or the tool list of ${run} is missing; it cannot be resumed.`,
  },
];

const ABOUT_COMMANDS: Question = {
  sql: 'select id from commands where not json_valid(data)',
  sentence: (id) => `Command ${id} is no JSON; it will be left out.`,
};

/** Looks for damage of the whole store, and names it in sentences. Reads all of it, so it takes a while on a large one. */
export function checkDatabase(database: DatabaseSync, reader: Reader): readonly string[] {
  const runs = new Map<string, string>();
  const file = problemsOfFile(database);
  // In a damaged file the questions fail, or answer wrongly.
  const others = file.length > 0 ? file : [...answers(database, ABOUT_COMMANDS).values(), ...problemsOfBlobs(database)];
  if (file.length === 0) {
    for (const question of ABOUT_RUNS) {
      for (const [run, sentence] of answers(database, question)) if (!runs.has(run)) runs.set(run, sentence);
    }
  }
  addProblemsOfRuns(runs, database, reader);
  return [...named(others), ...named([...runs.values()])];
}

function problemsOfFile(database: DatabaseSync): readonly string[] {
  try {
    const rows = database.prepare(`pragma integrity_check(${NAMED})`).all();
    const lines = rows.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
    return lines.map((line) => `The file is damaged: ${line}.`);
  } catch (error) {
    return [`The file is damaged: ${messageOf(error)}.`];
  }
}

function answers(database: DatabaseSync, { sql, sentence }: Question): ReadonlyMap<string, string> {
  const found = database
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));
  return new Map(found.map((what) => [what, sentence(what)]));
}

function problemsOfBlobs(database: DatabaseSync): readonly string[] {
  const problems: string[] = [];
  for (const row of database.prepare('select address, bytes from blobs').iterate()) {
    const { address, bytes } = row as { address: string; bytes: Uint8Array };
    if (addressOf(bytes) !== address) problems.push(`The stored text ${address} is not what it was.`);
  }
  return problems;
}

/** Of the latest runs: those that cannot be read, and those whose events and row do not agree. */
function addProblemsOfRuns(problems: Map<string, string>, database: DatabaseSync, reader: Reader): void {
  for (const row of latestRuns(database)) {
    const { run_id, swept } = row;
    if (problems.has(run_id)) continue;
    try {
      const record = decodeRow(row);
      const problem = swept === 1 ? null : problemOf(record, reader.read(run_id, 0));
      if (problem !== null) problems.set(run_id, problem);
    } catch (error) {
      problems.set(run_id, `${run_id} cannot be read: ${messageOf((error as Error).cause ?? error)}.`);
    }
  }
}

interface LatestRun extends Row {
  readonly swept: 0 | 1;
}

function latestRuns(database: DatabaseSync): readonly LatestRun[] {
  try {
    const latest = database.prepare('select run_id, record, swept from runs order by number desc limit ?');
    return latest.all(FOLDED_RUNS) as unknown as LatestRun[];
  } catch {
    // Not even a list of them can be had; the file was named already.
    return [];
  }
}

function named(sentences: readonly string[]): readonly string[] {
  if (sentences.length <= NAMED) return sentences;
  return [...sentences.slice(0, NAMED), `There are ${sentences.length - NAMED} more problems like this.`];
}
