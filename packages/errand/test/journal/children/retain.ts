// node retain.ts <folder>: deletes all that is over; says "begun", then "deleted <n>".
import { openStore } from '../open-store.ts';

const journal = openStore({ folder: process.argv[2] ?? '' });
process.stdout.write('begun\n');
const deleted = await journal.retain({ endedBefore: Number.MAX_SAFE_INTEGER, keep: 0 });
process.stdout.write(`deleted ${deleted}\n`);
await journal.close();
