// node contend.ts <folder> <run> <count>: adds <count> events to a run that others take over and add to as well; says
// "fenced <n>", how often another was first.
import { SampleRun } from '../../../src/testing/sample-run.ts';
import { openStore } from '../open-store.ts';

const [folder = '', runId = '', count = '0'] = process.argv.slice(2);
const journal = openStore({ folder });
const run = new SampleRun({ run_id: runId });
let refused = 0;
for (let added = 0; added < Number(count); ) {
  await run.claim(journal, `boot_${process.pid}`);
  const record = await journal.record(runId);
  const last = (await journal.read(runId)).at(-1);
  if (!record || !last) throw new Error(`there is no ${runId}`);
  const event = { ...last, type: 'cancel.asked', reason: 'user', seq: last.seq + 1, at: process.pid } as const;
  const entry = { run_id: runId, events: [event], record: { ...record, steps: event.seq }, epoch: run.epoch };
  try {
    await journal.append([entry]);
    added++;
  } catch (error) {
    const { code } = error as { code?: unknown };
    // Between its claim and its reading another may have added something: then its lease is gone.
    if (code !== 'fenced') throw error;
    refused++;
  }
}
await journal.close();
process.stdout.write(`fenced ${refused}\n`);
