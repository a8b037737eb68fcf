// node retain.ts <folder>: deletes all that is over; says "part" after each transaction of it, then "deleted <n>".
import { KEEP_NONE } from '../../../src/testing/journal/trees.ts';
import { openStore } from '../open-store.ts';

const journal = openStore({ folder: process.argv[2] ?? '' });
journal.observe(() => void process.stdout.write('part\n'));
const { runs } = await journal.retain(KEEP_NONE);
process.stdout.write(`deleted ${runs}\n`);
await journal.close();
