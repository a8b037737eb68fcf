// node lock.ts <folder>: holds the lock for writing; says "locked"; lets go and ends with its stdin.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(join(process.argv[2] ?? '', 'errand.db'));
database.exec('begin immediate');
process.stdout.write('locked\n');
process.stdin.resume().on('end', () => database.close());
