// node append-on-request.ts <folder> <run>: claims the run as boot_<pid>; for each line on stdin one commit, then "done" or
// the code of what refused it.
import { createInterface } from 'node:readline';
import { SampleRun } from '../../../src/testing/sample-run.ts';
import { openStore } from '../open-store.ts';

const [folder = '', runId = ''] = process.argv.slice(2);
const journal = openStore({ folder });
const run = new SampleRun({ run_id: runId });
const boot_id = `boot_${process.pid}`;
await journal.openBoot({ boot_id, pid: process.pid, process_start: null, host: 'here', started_at: 1 });
await run.claim(journal, boot_id);
for await (const _line of createInterface({ input: process.stdin })) {
  const said = journal.append(run.events.length === 0 ? [run.create(), run.start()] : run.step()).then(
    () => 'done',
    (error: { code?: unknown }) => String(error.code),
  );
  process.stdout.write(`${await said}\n`);
}
await journal.close();
