import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LOG_LIMIT } from '../../src/stores/sqlite/checkpoints.ts';
import { LOG_SIZE_LIMIT } from '../../src/stores/sqlite/open.ts';
import { watchPath } from '../../src/stores/sqlite/watch.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { createTestClock } from '../../src/testing/test-clock.ts';
import { startChild } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const MEGABYTE = 1024 * 1024;

function logSize(folder: string): number {
  return statSync(join(folder, 'errand.db-wal'), { throwIfNoEntry: false })?.size ?? 0;
}

describe("the store's log", () => {
  it('[DUR-7] does not grow without bound while another process never stops reading', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    await journal.append([run.create(), run.start()]);
    const reader = startChild('read-always', folder);
    expect((await reader.lines.next()).value).toBe('reading');
    // It grows until it is too long, and then begins anew, at the latest when the reader has been slow a few times.
    let before = 0;
    let after = 0;
    for (let step = 0; step < 1_500 && after >= before; step++) {
      before = logSize(folder);
      const text = `${step} `.repeat(200_000);
      for (const entry of run.step(text)) await journal.append([entry]);
      after = logSize(folder);
    }
    expect(before).toBeGreaterThan(LOG_LIMIT);
    // Emptied; or cut to what a log keeps, where SQLite itself has found a moment without a reader.
    expect(after).toBeLessThanOrEqual(LOG_SIZE_LIMIT);
    expect(reader.process.exitCode).toBeNull();
    await journal.close();
  }, 60_000);

  it('[DUR-7] is emptied when nothing happens, and while another has the store open when it is closed', async () => {
    const folder = temporaryFolder();
    const [journal, other] = [openStore({ folder }), openStore({ folder })];
    const run = new SampleRun({ run_id: 'run_a' });
    await journal.openBoot({ boot_id: 'boot_a', pid: 1, process_start: null, host: 'here', started_at: 1 });
    await run.claim(journal);
    await journal.append([run.create(), run.start()]);
    for (const entry of run.step('x'.repeat(3 * MEGABYTE))) await journal.append([entry]);
    await journal.beat('boot_a');
    expect(logSize(folder)).toBeGreaterThan(3 * MEGABYTE);
    await journal.beat('boot_a');
    expect(logSize(folder)).toBeLessThan(MEGABYTE);
    await journal.append([run.settle()]);
    expect(logSize(folder)).toBeGreaterThan(0);
    await journal.close();
    expect(logSize(folder)).toBe(0);
    expect(await other.read('run_a')).toEqual(run.events);
    await other.close();
  });
});

describe('a system that has no watches left', () => {
  it('[DUR-6] is looked at every second instead, until that is stopped', async () => {
    const clock = createTestClock();
    let looked = 0;
    const watching = watchPath(join(temporaryFolder(), 'none'), { clock, changed: () => looked++ });
    await clock.advance(999);
    expect(looked).toBe(0);
    await clock.advance(1);
    expect(looked).toBe(1);
    await clock.advance(2_500);
    expect(looked).toBe(3);
    watching.stop();
    await clock.advance(10_000);
    expect(looked).toBe(3);
    expect(clock.pending).toBe(0);
  });
});
