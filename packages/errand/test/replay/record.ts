// `node packages/errand/test/replay/record.ts`: records the crash scenario, once straight through and once with a kill and a resume, into the folder
// of the journal's present format. Done once for each released format; what was recorded for an earlier one is never written again.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { JOURNAL_FORMAT } from '../../src/domain/run/event.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { createScriptedServer } from '../../src/testing/index.ts';
import type { ChildOrder } from '../crash/child.ts';
import { createScript } from '../crash/scenario.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const CHILD = fileURLToPath(new URL('../crash/child.ts', import.meta.url));

if (isMainThread) {
  // The server lives in a thread of its own, since this one waits for the children.
  const worker = new Worker(new URL(import.meta.url));
  worker.once('message', (url: string) => {
    record('straight', url, []);
    record('killed-and-resumed', url, [{ killAt: 25, when: 'after' }]);
    void worker.terminate();
  });
} else {
  parentPort?.postMessage((await createScriptedServer(createScript())).url);
}

function record(name: string, url: string, kills: readonly Pick<ChildOrder, 'killAt' | 'when'>[]): void {
  const base = mkdtempSync(join(tmpdir(), 'errand-record-'));
  const work = join(base, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'notes.txt'), 'one\ntwo\n');
  const order: ChildOrder = { store: join(base, 'store'), work, effects: join(base, 'effects'), url, act: 'start' };
  for (const kill of kills) spawnSync(process.execPath, [CHILD, JSON.stringify({ ...order, ...kill })]);
  spawnSync(process.execPath, [CHILD, JSON.stringify({ ...order, act: kills.length > 0 ? 'resume' : 'start' })], {
    stdio: 'inherit',
  });
  void save(name, order.store, work).then(() => rmSync(base, { recursive: true }));
}

async function save(name: string, store: string, work: string): Promise<void> {
  const journal = openSqliteJournal({ folder: store, mode: 'read', clock: createSystemClock() });
  const runs = [];
  for (const record of await journal.records()) runs.push(await journal.read(record.run_id));
  await journal.close();
  const folder = join(HERE, `v${JOURNAL_FORMAT}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(runs, null, 1).replaceAll(work, '/workspace')}\n`);
}
