// node hold-slots.ts <folder> <boot> <limit> <rounds>: takes and gives slots in turn; then says "holds 1" as soon as it has
// one, and keeps it.
import { openStore } from '../open-store.ts';

const [folder = '', boot_id = '', limit = '0', rounds = '0'] = process.argv.slice(2);
const journal = openStore({ folder });
await journal.openBoot({ boot_id, pid: process.pid, process_start: null, host: 'here', started_at: 1 });
let held = 0;
for (let round = 0; round < Number(rounds); round++) {
  held += await journal.takeSlots(boot_id, 1 + (round % 4), Number(limit));
  if (held > Number(limit)) throw new Error(`${held} slots of ${limit}`);
  const given = round % 3 === 0 ? held : Math.min(held, 1);
  held -= given;
  await journal.giveSlots(boot_id, given);
}
await journal.giveSlots(boot_id, held);
for (held = 0; held === 0; ) held = await journal.takeSlots(boot_id, 1, Number(limit));
process.stdout.write(`holds ${held}\n`);
// Until it is killed.
setInterval(() => {}, 60_000);
