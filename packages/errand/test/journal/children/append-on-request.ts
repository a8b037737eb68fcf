// node append-on-request.ts <folder> <run>: for each line on stdin one commit, then "done".
import { createInterface } from 'node:readline';
import { openSqliteJournal } from '../../../src/stores/sqlite/journal.ts';
import { SampleRun } from '../../../src/testing/sample-run.ts';

const [folder = '', runId = ''] = process.argv.slice(2);
const journal = openSqliteJournal({ folder });
const run = new SampleRun({ run_id: runId });
for await (const _line of createInterface({ input: process.stdin })) {
  await journal.append(run.events.length === 0 ? [run.create(), run.start()] : run.step());
  process.stdout.write('done\n');
}
await journal.close();
