// node read-always.ts <folder>: reads for ever, with one view always open before the last is given up; says "reading".
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const views = [0, 1].map(() => new DatabaseSync(join(process.argv[2] ?? '', 'errand.db'), { timeout: 1_000 }));
for (let turn = 0; ; turn++) {
  const [next, last] = [views[turn % 2], views[(turn + 1) % 2]];
  next?.exec('begin');
  next?.prepare('select count(*) from runs').get();
  if (last?.isTransaction) last.exec('commit');
  if (turn === 1) process.stdout.write('reading\n');
}
