// node retain.ts <folder>: deletes all that is over; says "part" after each transaction of it, then "deleted <n>".
import { openStore } from '../open-store.ts';

const journal = openStore({ folder: process.argv[2] ?? '' });
journal.observe(() => void process.stdout.write('part\n'));
const deleted = await journal.retain({ endedBefore: Number.MAX_SAFE_INTEGER, keep: 0 });
process.stdout.write(`deleted ${deleted}\n`);
await journal.close();
