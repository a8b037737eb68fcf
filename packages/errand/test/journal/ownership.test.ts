import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Boot, Command, Journal } from '../../src/ports/journal.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { type Child, saidBy, startChild } from './child.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const cancel = (run_id: string) => ({ kind: 'cancel', run_id, reason: 'user' }) as const;

/** Has the child append once more; returns what it says. */
async function ask(child: Child): Promise<string> {
  child.process.stdin?.write('next\n');
  return (await child.lines.next()).value;
}

function isAlive(holder: Boot | null): boolean {
  try {
    return holder !== null && process.kill(holder.pid, 0);
  } catch {
    return false;
  }
}

/** Goes on with a run as another process that has read it. */
async function goOn(journal: Journal, runId: string, epoch: number): Promise<void> {
  const record = await journal.record(runId);
  const last = (await journal.read(runId)).at(-1);
  if (!record || !last) throw new Error(`there is no ${runId}`);
  const event = { ...last, type: 'cancel.asked', reason: 'user', seq: last.seq + 1 } as const;
  await journal.append([{ run_id: runId, events: [event], record, epoch }]);
}

describe('the lease on a tree of runs', () => {
  it('[RUN-2] [DUR-6] is taken from a process that sleeps; when it wakes its append fails', async () => {
    const folder = temporaryFolder();
    const owner = startChild('append-on-request', folder, 'run_a');
    expect(await ask(owner)).toBe('done');
    owner.process.kill('SIGSTOP');
    const journal = openStore({ folder });
    const before = await journal.read('run_a');
    const holder = { boot_id: `boot_${owner.process.pid}`, pid: owner.process.pid };
    const claim = { root_id: 'run_a', boot_id: 'boot_here' };
    expect(await journal.claim({ ...claim, mayTake: (boot) => !isAlive(boot) })).toMatchObject({ ok: false, holder });
    expect(await journal.claim({ ...claim, mayTake: () => true })).toEqual({ ok: true, epoch: 2 });
    owner.process.kill('SIGCONT');
    expect(await ask(owner)).toBe('fenced');
    await goOn(journal, 'run_a', 2);
    expect(await ask(owner)).toBe('fenced');
    const after = await journal.read('run_a');
    expect(after.map((event) => event.type)).toEqual([...before.map((event) => event.type), 'cancel.asked']);
    owner.process.stdin?.end();
    expect(await owner.ended).toBe(0);
    await journal.close();
  });

  it('[RUN-2] [DUR-3] is taken at once from a process that was killed', async () => {
    const folder = temporaryFolder();
    const owner = startChild('append-on-request', folder, 'run_a');
    expect(await ask(owner)).toBe('done');
    owner.process.kill('SIGKILL');
    await owner.ended;
    const journal = openStore({ folder });
    const mayTake = (boot: Boot | null) => !isAlive(boot);
    expect(await journal.claim({ root_id: 'run_a', boot_id: 'boot_here', mayTake })).toEqual({ ok: true, epoch: 2 });
    await goOn(journal, 'run_a', 2);
    await journal.closeBoot(`boot_${owner.process.pid}`);
    await goOn(journal, 'run_a', 2);
    expect(await journal.read('run_a')).toHaveLength(4);
    await journal.close();
  });

  it('[RUN-2] [DUR-6] goes from hand to hand without an event lost or doubled', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(journal);
    await journal.append([run.create()]);
    const said = await Promise.all([1, 2, 3].map(() => saidBy(startChild('contend', folder, 'run_a', '60'))));
    expect(said.flat()).toHaveLength(3);
    const events = await journal.read('run_a');
    expect(events.map((event) => event.seq)).toEqual(Array.from({ length: 181 }, (_, index) => index + 1));
    expect((await journal.record('run_a'))?.steps).toBe(181);
    await journal.close();
  });
});

describe('slots that processes share', () => {
  it('[LIM-2] are never more than the limit; those of a process that was killed come back when it is forgotten', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    const here = { boot_id: 'boot_here', pid: process.pid, process_start: null, host: 'here', started_at: 1 };
    await journal.openBoot(here);
    const boots = ['boot_a', 'boot_b', 'boot_c', 'boot_d'];
    const children = boots.map((boot) => startChild('hold-slots', folder, boot, '5', '60'));
    const database = new DatabaseSync(join(folder, 'errand.db'));
    onTestFinished(() => database.close());
    const sum = database.prepare('select total(slots) as used from boots');
    let most = 0;
    const holding = Promise.all(children.map((child) => child.lines.next()));
    let over = false;
    void holding.then(() => {
      over = true;
    });
    while (!over) {
      most = Math.max(most, Number(sum.get()?.used));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(most).toBeLessThanOrEqual(5);
    expect(most).toBeGreaterThan(0);
    expect((await holding).map(({ value }) => value)).toEqual(boots.map(() => 'holds 1'));
    expect(await journal.takeSlots('boot_here', 5, 5)).toBe(1);
    for (const child of children) child.process.kill('SIGKILL');
    await Promise.all(children.map((child) => child.ended));
    expect(await journal.takeSlots('boot_here', 5, 5)).toBe(0);
    for (const boot of boots) await journal.closeBoot(boot);
    expect(await journal.takeSlots('boot_here', 5, 5)).toBe(4);
    await journal.close();
  });
});

describe('a command whose sender died before it could wake anybody', () => {
  it('[DUR-6] is found at the next beat', async () => {
    const folder = temporaryFolder();
    const journal = openStore({ folder });
    await journal.openBoot({ boot_id: 'boot_a', pid: 1, process_start: null, host: 'here', started_at: 1 });
    const received: Command[] = [];
    const first = new Promise<void>((resolve) => {
      journal.receiveCommands('boot_a', (command) => {
        received.push(command);
        resolve();
      });
    });
    // The listener has looked for commands by now, and has found none.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    const database = new DatabaseSync(join(folder, 'errand.db'));
    database
      .prepare('insert into commands (boot_id, data) values (?, ?)')
      .run('boot_a', JSON.stringify(cancel('run_a')));
    database.close();
    await journal.beat('boot_a');
    await first;
    await journal.beat('boot_a');
    await journal.close();
    expect(received).toMatchObject([cancel('run_a')]);
  });
});

describe('a store that another process has locked for writing', () => {
  it('[DUR-6] [DUR-7] is opened and read at once; what is written waits, then says busy, and works when it is free', async () => {
    const folder = temporaryFolder();
    const owner = openStore({ folder, timeout: 60_000 });
    const run = new SampleRun({ run_id: 'run_a' });
    await run.claim(owner);
    await owner.append([run.create()]);
    const lock = startChild('lock', folder);
    expect((await lock.lines.next()).value).toBe('locked');
    const impatient = openStore({ folder, timeout: 200 });
    expect(await impatient.read('run_a')).toEqual(run.events);
    const started = run.start();
    const waiting = owner.append([started]);
    const busy = { code: 'busy', message: expect.stringContaining(folder) };
    await expect(impatient.beat('boot_a')).rejects.toMatchObject(busy);
    await expect(impatient.claim({ root_id: 'run_b', boot_id: 'boot_a', mayTake: () => true })).rejects.toMatchObject(
      busy,
    );
    lock.process.stdin?.end();
    await waiting;
    expect(await impatient.read('run_a')).toEqual(run.events);
    expect(await impatient.claim({ root_id: 'run_b', boot_id: 'boot_a', mayTake: () => true })).toMatchObject({
      ok: true,
    });
    await Promise.all([owner.close(), impatient.close()]);
  });
});
