import type { ModelUsage } from '../../ports/journal.ts';
import { UsageSums } from '../shared/usage-sums.ts';
import type { DatabaseSync } from './module.ts';
import type { Reader } from './reader.ts';
import { READABLE, type Records } from './records.ts';

const NAMES = ['input', 'cached', 'output', 'reasoning', 'unknown_calls'] as const;

/** Columns of one run, out of its record. */
const OF_RUN = [
  "coalesce(json_extract(record, '$.model'), '') as model",
  ...NAMES.map((name) => `cast(coalesce(json_extract(record, '$.usage.${name}'), 0) as integer) as ${name}`),
].join(', ');

type Row = Omit<ModelUsage, 'usage'> & ModelUsage['usage'];

export interface UsageTotalsOptions {
  readonly database: DatabaseSync;
  readonly reader: Reader;
  readonly records: Records;
}

/** What runs have used, those that were deleted included. */
export class UsageTotals {
  readonly #reader: Reader;
  readonly #records: Records;
  readonly #add;
  readonly #select;
  readonly #selectDamaged;

  constructor({ database, reader, records }: UsageTotalsOptions) {
    this.#reader = reader;
    this.#records = records;
    const columns = NAMES.join(', ');
    const updates = NAMES.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');
    this.#add = database.prepare(
      `insert into usage_totals (model, runs, ${columns})
       select model, 1, ${columns} from (select ${OF_RUN} from runs where run_id = ? and ${READABLE}) where true
       on conflict (model) do update set runs = runs + 1, ${updates}`,
    );
    const sums = NAMES.map((name) => `sum(${name}) as ${name}`).join(', ');
    this.#select = database.prepare(
      `select model, count(*) as runs, 0 as deleted, ${sums} from (select ${OF_RUN} from runs where ${READABLE}) group by model
       union all select model, runs, runs, ${columns} from usage_totals`,
    );
    this.#selectDamaged = database.prepare(`select run_id from runs where not ${READABLE}`);
  }

  /** Keeps what a run has used that is about to be deleted, unless its row is damaged. Inside a transaction. */
  add(runId: string): void {
    this.#add.run(runId);
  }

  /** Of one moment. A run of which neither row nor events can be read is not counted. */
  all(): readonly ModelUsage[] {
    const sums = new UsageSums();
    this.#reader.snapshot(() => {
      for (const row of this.#select.all() as unknown as Row[]) sums.add(usageOf(row));
      for (const { run_id } of this.#selectDamaged.all()) {
        for (const { model, usage } of this.#records.madeAgain(String(run_id))) {
          sums.add({ model, runs: 1, deleted: 0, usage });
        }
      }
    });
    return sums.all();
  }
}

function usageOf({ model, runs, deleted, ...usage }: Row): ModelUsage {
  return { model, runs, deleted, usage };
}
