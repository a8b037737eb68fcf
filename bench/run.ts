// `npm run bench [-- --quick]`: runs the benchmarks and writes docs/performance.md from what they gave.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { benchFanout, type FanoutRow } from './fanout.ts';
import { benchJournal, journalTable } from './journal.ts';

const quick = process.argv.includes('--quick');
const rows = await benchFanout(quick ? [10, 100] : [10, 100, 1000], quick ? 1 : 3);
const journal = await benchJournal(quick ? { rounds: 1 } : {});
const text = page(rows, journalTable(journal));
process.stdout.write(text);
if (!quick) writeFileSync(new URL('../docs/performance.md', import.meta.url), text);

function page(fanout: readonly FanoutRow[], journalRows: string): string {
  const version = JSON.parse(readFileSync(new URL('../packages/errand/package.json', import.meta.url), 'utf8')).version;
  return `# Performance

Written by \`npm run bench\` (Errand ${version}, Node ${process.versions.node}, ${cpus().length} cores). These machines are noisy: read the ratios, which come from one run, and not the milliseconds.

## Fan-out

A parent launches k helpers in one step. Each takes 3 steps: two reads of a small file, then its answer. The model is \`bench/mock-model\`, which answers after 50 ms in 20 pieces. The baseline is a hand-written loop over \`fetch\` that keeps nothing and whose tool returns a constant from memory; Errand reads a real file, checks every call, and journals every step. CPU and memory are those of the whole process, the parent's part included; the median of 3 runs by CPU.

| k | driver | CPU ms a step | to the loop | wall over ideal | spawn ms, p50 / p99 | completion ms, p50 / p99 | peak MB | KB per waiting helper, live / RSS |
|---|---|---|---|---|---|---|---|---|
${fanout.map((row) => line(row, fanout)).join('\n')}

*Spawn*: from the parent's answer to a helper's first request, at the server's clock. *Completion*: from a helper's last answer to the parent's next request. *Wall over ideal*: the wall clock over five latencies, which is what two steps of the parent and three of a helper take at the least. A waiting helper has made one step and its second request is held by the server.

${durability(fanout)}

## Journal

1,000 helpers of 3 steps record them, each waiting for each of its appends, in memory and in SQLite; then a store opened anew reads all of them back, when all were under way.

${journalRows}
`;
}

function line(row: FanoutRow, all: readonly FanoutRow[]): string {
  const floor = all.find((other) => other.k === row.k && other.driver === 'fetch loop');
  const ratio = floor ? (row.cpuPerStep / floor.cpuPerStep).toFixed(2) : '–';
  const memory = `${row.liveKBPerWaiting ?? '–'} / ${row.rssKBPerWaiting ?? '–'}`;
  return `| ${row.k} | ${row.driver} | ${row.cpuPerStep.toFixed(2)} | ${ratio} | ${row.wallOverIdeal.toFixed(2)} | ${row.spawnMs} | ${row.completionMs} | ${row.peakRssMB.toFixed(0)} | ${memory} |`;
}

/** What durability adds to a helper step, by the two journals of one run. */
function durability(rows: readonly FanoutRow[]): string {
  const largest = Math.max(...rows.map((row) => row.k));
  const cost = (driver: string) =>
    rows.find((row) => row.k === largest && row.driver === driver)?.cpuPerStep ?? Number.NaN;
  const added = (cost('errand, SQLite journal') / cost('errand, memory journal') - 1) * 100;
  return `At k = ${largest} the SQLite journal adds ${added.toFixed(0)}% CPU to a helper step over the journal in memory.`;
}
