// node listen.ts <folder> <boot>: says "ready", then "cancel <run>" for each command; ends at one for run_last.
import { openStore } from '../open-store.ts';

const [folder = '', bootId = ''] = process.argv.slice(2);
const journal = openStore({ folder });
await journal.openBoot({ boot_id: bootId, pid: process.pid, process_start: null, host: 'here', started_at: 1 });
const alive = setInterval(() => {}, 60_000);
journal.receiveCommands(bootId, ({ kind, run_id }) => {
  process.stdout.write(`${kind} ${run_id}\n`);
  if (run_id !== 'run_last') return;
  clearInterval(alive);
  void journal.closeBoot(bootId).then(() => journal.close());
});
process.stdout.write('ready\n');
