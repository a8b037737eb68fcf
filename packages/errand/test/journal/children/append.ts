// node append.ts <folder> <name> <steps>: creates a parent and a child and appends steps to both, an entry of each
// in every append; says "<number of appends>" after each that was acknowledged.

import { SampleRun } from '../../../src/testing/sample-run.ts';
import { openStore } from '../open-store.ts';

const [folder = '', name = '', steps = '0'] = process.argv.slice(2);
const journal = openStore({ folder });
const parent = new SampleRun({ run_id: `${name}_parent` });
const child = new SampleRun({ run_id: `${name}_child`, parent });
let acknowledged = 0;
await parent.claim(journal);

async function append(entries: Parameters<typeof journal.append>[0]): Promise<void> {
  await journal.append(entries);
  process.stdout.write(`${++acknowledged}\n`);
}

await append([parent.create(), child.create()]);
await append([parent.start(), child.start()]);
for (let step = 0; step < Number(steps); step++) {
  const output = step % 7 === 0 ? 'x'.repeat(50_000) : 'a short output';
  const [first, second] = [parent.step(output), child.step(output)];
  // Several appends in one tick: they share a transaction, or do not.
  await Promise.all(first.map((entry, index) => append([entry, second[index] ?? entry])));
}
await append([child.settle(), parent.settle()]);
await journal.close();
