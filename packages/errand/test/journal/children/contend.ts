// node contend.ts <folder> <run> <count>: adds <count> events to a run to which others add as well; says "conflicts <n>".
import { openSqliteJournal } from '../../../src/stores/sqlite/journal.ts';

const [folder = '', runId = '', count = '0'] = process.argv.slice(2);
const journal = openSqliteJournal({ folder });
let conflicts = 0;
for (let added = 0; added < Number(count); ) {
  const record = await journal.record(runId);
  const last = (await journal.read(runId)).at(-1);
  if (!record || !last) throw new Error(`there is no ${runId}`);
  const event = { ...last, type: 'cancel.asked', reason: 'user', seq: last.seq + 1, at: process.pid } as const;
  try {
    await journal.append([{ run_id: runId, events: [event], record: { ...record, steps: event.seq } }]);
    added++;
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'conflict') throw error;
    conflicts++;
  }
}
await journal.close();
process.stdout.write(`conflicts ${conflicts}\n`);
