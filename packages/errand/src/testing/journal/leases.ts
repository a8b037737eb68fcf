import assert from 'node:assert/strict';
import type { Boot, Claim, Journal } from '../../ports/journal.ts';
import { SampleRun } from '../sample-run.ts';
import { BOOT, claimed, expectRecorded, type JournalCase, rejectsWith, root } from './case.ts';

const OTHER: Boot = { ...BOOT, boot_id: 'boot_2', started_at: 6 };

/** A claim on the tree of `run_a` that notes whom it is asked about. */
function claimBy(boot_id: string, answer: boolean, asked: (Boot | null)[] = []): Claim {
  const mayTake = (holder: Boot | null) => {
    asked.push(holder);
    return answer;
  };
  return { root_id: 'run_a', boot_id, mayTake };
}

/** Two processes are there; the first holds `run_a` and has recorded its beginning. */
async function held(journal: Journal): Promise<SampleRun> {
  const run = root();
  await Promise.all([journal.openBoot(BOOT), journal.openBoot(OTHER), run.claim(journal, BOOT.boot_id)]);
  await journal.append([run.create()]);
  return run;
}

const CLAIMING: readonly JournalCase[] = [
  {
    title: '[RUN-2] a lease that nobody holds is had for the asking, and by its holder again, at the same epoch',
    run: async (journal) => {
      const asked: (Boot | null)[] = [];
      assert.deepEqual(await journal.claim(claimBy(BOOT.boot_id, false, asked)), { ok: true, epoch: 1 });
      assert.deepEqual(await journal.claim(claimBy(BOOT.boot_id, false, asked)), { ok: true, epoch: 1 });
      const other = await journal.claim({ ...claimBy(OTHER.boot_id, false, asked), root_id: 'run_b' });
      assert.deepEqual(other, { ok: true, epoch: 1 });
      assert.deepEqual(asked, []);
    },
  },
  {
    title: '[RUN-2] the lease of another is had only where the claimer says so, who is shown the holder',
    run: async (journal) => {
      await held(journal);
      await journal.beat(BOOT.boot_id);
      const holder = { ...BOOT, beats: 1 };
      const asked: (Boot | null)[] = [];
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, false, asked)), { ok: false, holder });
      assert.deepEqual(await journal.claim(claimBy(BOOT.boot_id, false, asked)), { ok: true, epoch: 1 });
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, true, asked)), { ok: true, epoch: 2 });
      assert.deepEqual(asked, [holder, holder]);
    },
  },
  {
    title: '[RUN-2] a holder that left no trace is null',
    run: async (journal) => {
      const asked: (Boot | null)[] = [];
      await journal.claim(claimBy('boot_none', false));
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, false, asked)), { ok: false, holder: null });
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, true, asked)), { ok: true, epoch: 2 });
      assert.deepEqual(asked, [null, null]);
    },
  },
  {
    title: '[RUN-2] a lease that was given back is free, at an epoch that was never used',
    run: async (journal) => {
      await held(journal);
      await journal.release('run_a', OTHER.boot_id);
      await journal.release('run_none', OTHER.boot_id);
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, false)), { ok: false, holder: BOOT });
      await journal.release('run_a', BOOT.boot_id);
      await journal.release('run_a', BOOT.boot_id);
      assert.deepEqual(await journal.claim(claimBy(BOOT.boot_id, false)), { ok: true, epoch: 2 });
      await journal.closeBoot(BOOT.boot_id);
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, false)), { ok: true, epoch: 3 });
    },
  },
  {
    title: '[RUN-2] of many claims in one tick one wins',
    run: async (journal) => {
      const claims = Array.from({ length: 20 }, (_, index) => journal.claim(claimBy(`boot_${index}`, false)));
      const answers = await Promise.all(claims);
      assert.deepEqual(answers[0], { ok: true, epoch: 1 });
      assert.equal(answers.filter((answer) => answer.ok).length, 1);
    },
  },
  {
    title: '[DUR-7] a claimer that cannot decide gets an error, and nothing else does',
    run: async (journal) => {
      const run = await held(journal);
      const mayTake = () => {
        throw new Error('no such process table');
      };
      const refused = journal.claim({ root_id: 'run_a', boot_id: OTHER.boot_id, mayTake });
      const appended = journal.append([run.start()]);
      await rejectsWith('io', refused);
      await appended;
      await expectRecorded(journal, run);
    },
  },
];

const FENCING: readonly JournalCase[] = [
  {
    title: '[RUN-2] only who holds the lease may append: not without one, and not at another epoch',
    run: async (journal) => {
      const run = root();
      const created = run.create();
      await rejectsWith('fenced', journal.append([created]));
      await run.claim(journal);
      await rejectsWith('fenced', journal.append([{ ...created, epoch: 0 }]));
      await rejectsWith('fenced', journal.append([{ ...created, epoch: 2 }]));
      assert.equal(await journal.record(run.run_id), null);
      await journal.append([created]);
      await expectRecorded(journal, run);
    },
  },
  {
    title: '[RUN-2] a stale owner cannot add to a tree that another has taken over, to no run of it',
    run: async (journal) => {
      const run = await held(journal);
      const child = new SampleRun({ run_id: 'run_child', parent: run });
      const [stale, staleChild] = [run.start(), child.create()];
      await journal.claim(claimBy(OTHER.boot_id, true));
      await rejectsWith('fenced', journal.append([stale]));
      await rejectsWith('fenced', journal.append([staleChild]));
      await rejectsWith('fenced', journal.append([{ ...stale, events: [] }]));
      assert.equal((await journal.read(run.run_id)).length, 1);
      assert.equal(await journal.record(child.run_id), null);
      await journal.append([{ ...stale, epoch: 2 }]);
      await expectRecorded(journal, run);
    },
  },
  {
    title: '[RUN-2] an owner that gave its lease back, or was forgotten, is stale; also after it has claimed anew',
    run: async (journal) => {
      const run = await held(journal);
      const started = run.start();
      await journal.release('run_a', BOOT.boot_id);
      await rejectsWith('fenced', journal.append([started]));
      assert.deepEqual(await journal.claim(claimBy(BOOT.boot_id, false)), { ok: true, epoch: 2 });
      await rejectsWith('fenced', journal.append([started]));
      await journal.closeBoot(BOOT.boot_id);
      await rejectsWith('fenced', journal.append([{ ...started, epoch: 2 }]));
      assert.equal((await journal.read(run.run_id)).length, 1);
    },
  },
  {
    title: '[RUN-2] a claim, a take-over and a release count within their tick, for what comes after them',
    run: async (journal) => {
      const run = root();
      const [created, started] = [run.create(), run.start()];
      const [first, ...rest] = run.step();
      if (!first) throw new Error('a step has entries');
      const outcomes = await Promise.allSettled([
        journal.append([created]),
        journal.claim(claimBy(BOOT.boot_id, false)),
        journal.append([created]),
        journal.claim(claimBy(OTHER.boot_id, true)),
        journal.append([started]),
        journal.append([{ ...started, epoch: 2 }]),
        journal.release('run_a', OTHER.boot_id),
        journal.append([{ ...first, epoch: 2 }]),
        ...rest.map((entry) => journal.append([{ ...entry, epoch: 3 }])),
      ]);
      const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
      assert.deepEqual(refused, ['fenced', 'fenced', 'fenced', ...rest.map(() => 'fenced')]);
      assert.deepEqual(await journal.read(run.run_id), run.events.slice(0, 2));
    },
  },
  {
    title: '[RUN-2] a stale append takes no other of its tick down; of its own entries it records none',
    run: async (journal) => {
      const taken = root('run_a');
      const runs = [root('run_b'), root('run_c'), root('run_d')];
      await claimed(journal, taken, ...runs);
      await journal.append([taken, ...runs].map((run) => run.create()));
      await journal.claim(claimBy(OTHER.boot_id, true));
      const [both, ...good] = runs.map((run) => run.start());
      if (!both) throw new Error('there are runs');
      const mixed = journal.append([both, taken.start()]);
      await Promise.all([rejectsWith('fenced', mixed), ...good.map((entry) => journal.append([entry]))]);
      assert.equal((await journal.read('run_b')).length, 1);
      for (const run of runs.slice(1)) await expectRecorded(journal, run);
      await journal.append([both]);
    },
  },
  {
    title: '[RUN-2] [DUR-6] who has lost the lease cannot discard what its new holder has made of the tree',
    run: async (journal) => {
      const run = await held(journal);
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, true)), { ok: true, epoch: 2 });
      await rejectsWith('fenced', journal.discard(run.run_id, 1));
      assert.equal((await journal.read(run.run_id)).length > 0, true);
      await journal.discard(run.run_id, 2);
      assert.deepEqual(await journal.read(run.run_id), []);
    },
  },
  {
    title: '[RUN-7] the lease goes with a tree that is discarded',
    run: async (journal) => {
      const run = await held(journal);
      await journal.discard(run.run_id, 1);
      await rejectsWith('fenced', journal.append([run.start()]));
      assert.deepEqual(await journal.claim(claimBy(OTHER.boot_id, false)), { ok: true, epoch: 1 });
    },
  },
];

/** Who may write a tree of runs. */
export const LEASES: readonly JournalCase[] = [...CLAIMING, ...FENCING];
