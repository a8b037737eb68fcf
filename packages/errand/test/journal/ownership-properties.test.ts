import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { KEEP_ALL } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const BOOTS: readonly string[] = ['boot_a', 'boot_b', 'boot_c'];
const ROOTS: readonly string[] = ['run_a', 'run_b'];
const LIMIT = 7;

type Act =
  | { readonly kind: 'open' | 'close' | 'beat'; readonly boot: string }
  | { readonly kind: 'claim'; readonly root: string; readonly boot: string; readonly mayTake: boolean }
  | { readonly kind: 'release'; readonly root: string; readonly boot: string }
  | { readonly kind: 'append'; readonly root: string; readonly epoch: number; readonly part: number }
  | { readonly kind: 'take' | 'give'; readonly boot: string; readonly count: number }
  | { readonly kind: 'discard'; readonly root: string; readonly epoch: number }
  | { readonly kind: 'retain'; readonly keep: number };

const boot = fc.constantFrom(...BOOTS);
const root = fc.constantFrom(...ROOTS);
const count = fc.integer({ min: 0, max: 5 });
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('open', 'close', 'beat'), boot }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('claim' as const), root, boot, mayTake: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), root, boot }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('append' as const), root, epoch: fc.nat(4), part: fc.nat(4) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('take', 'give'), boot, count }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('discard' as const), root, epoch: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retain' as const), keep: fc.nat(2) }) },
);

/** The entries of a run from beginning to end; which of them can be recorded is for the journal to say. */
const SCRIPTS = new Map(
  ROOTS.map((run_id) => {
    const run = new SampleRun({ run_id });
    return [run_id, [run.create(), run.start(), ...run.step().slice(0, 2), run.settle()]];
  }),
);

async function perform(journal: Journal, each: Act): Promise<unknown> {
  switch (each.kind) {
    case 'open': {
      const started_at = BOOTS.indexOf(each.boot);
      return journal.openBoot({ boot_id: each.boot, pid: 1, process_start: null, host: 'here', started_at });
    }
    case 'close':
      return journal.closeBoot(each.boot);
    case 'beat':
      return journal.beat(each.boot);
    case 'claim':
      return journal.claim({ root_id: each.root, boot_id: each.boot, mayTake: () => each.mayTake });
    case 'release':
      return journal.release(each.root, each.boot);
    case 'append': {
      const entry = SCRIPTS.get(each.root)?.[each.part];
      return entry ? journal.append([{ ...entry, epoch: each.epoch }]) : undefined;
    }
    case 'take':
      return journal.takeSlots(each.boot, each.count, LIMIT);
    case 'give':
      return journal.giveSlots(each.boot, each.count);
    case 'discard':
      return journal.discard(each.root, each.epoch);
    case 'retain':
      return journal.retain({ ...KEEP_ALL, keep: each.keep });
  }
}

/** What came of each act: its value, or the code of its error. */
async function outcomes(journal: Journal, acts: readonly Act[]): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled(acts.map((each) => perform(journal, each)));
  return settled.map((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? null) : outcome.reason.code));
}

async function content(journal: Journal): Promise<unknown> {
  const events = await Promise.all(ROOTS.map((name) => journal.read(name)));
  return { boots: await journal.boots(), records: await journal.records(), events };
}

describe('claims, slots and signs of life in any sequence', () => {
  it('[RUN-2] [LIM-2] [DUR-6] come to the same in memory and in SQLite', async () => {
    const groups = fc.array(fc.array(act, { minLength: 1, maxLength: 8 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(groups, async (all) => {
        const [memory, sqlite] = [createMemoryJournal(), openStore({ folder: temporaryFolder() })];
        for (const acts of all) {
          // Retention takes several ticks in SQLite; what else happens in its group comes before it.
          const [later, first] = [acts.filter(isRetention), acts.filter((each) => !isRetention(each))];
          for (const group of [first, later.slice(0, 1)]) {
            expect(await outcomes(sqlite, group)).toEqual(await outcomes(memory, group));
          }
          expect(await content(sqlite)).toEqual(await content(memory));
        }
        await Promise.all([memory.close(), sqlite.close()]);
      }),
      { numRuns: 150 },
    );
  });

  it('[RUN-2] [LIM-2] never let a stale epoch in, use an epoch twice, or give more slots than there are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (all) => {
        const journal = createMemoryJournal();
        const model = new Ownership();
        for (const each of all) {
          const before = await rootsIn(journal);
          const [outcome] = await outcomes(journal, [each]);
          model.follow(each, outcome);
          const after = await rootsIn(journal);
          model.forget(before.filter((name) => !after.includes(name)));
        }
        await journal.close();
      }),
      { numRuns: 150 },
    );
  });
});

async function rootsIn(journal: Journal): Promise<readonly string[]> {
  return (await journal.records()).map((record) => record.run_id);
}

/** Who holds what, by the words of the port. */
class Ownership {
  readonly #leases = new Map<string, { boot: string | null; epoch: number }>();
  readonly #slots = new Map<string, number>();

  /** Takes an act in, and fails when its outcome is another than it should be. */
  follow(each: Act, outcome: unknown): void {
    switch (each.kind) {
      case 'open':
        this.#slots.set(each.boot, 0);
        return;
      case 'close':
        this.#slots.delete(each.boot);
        for (const [name, lease] of this.#leases) if (lease.boot === each.boot) this.#give(name);
        return;
      case 'claim':
        return this.#claim(each, outcome);
      case 'release':
        if (this.#leases.get(each.root)?.boot === each.boot) this.#give(each.root);
        return;
      case 'append':
        expect(outcome !== 'fenced').toBe(this.#isInForce(each.root, each.epoch));
        return;
      case 'take':
        return this.#take(each, outcome);
      case 'give': {
        const held = this.#slots.get(each.boot);
        if (held !== undefined) this.#slots.set(each.boot, Math.max(0, held - each.count));
        return;
      }
      case 'discard':
        expect(outcome).toBe(this.#isInForce(each.root, each.epoch) ? null : 'fenced');
        if (outcome === null) this.forget([each.root]);
        return;
      case 'beat':
        expect(outcome).toBe(this.#slots.has(each.boot) ? null : 'fenced');
        return;
      case 'retain':
    }
  }

  /** These trees are gone. */
  forget(roots: readonly string[]): void {
    for (const name of roots) this.#leases.delete(name);
  }

  #claim({ root: name, boot: claimer, mayTake }: Extract<Act, { kind: 'claim' }>, outcome: unknown): void {
    const lease = this.#leases.get(name) ?? { boot: null, epoch: 0 };
    if (lease.boot !== null && lease.boot !== claimer && !mayTake) {
      expect(outcome).toMatchObject({ ok: false });
      return;
    }
    const epoch = lease.boot === claimer ? lease.epoch : lease.epoch + 1;
    expect(outcome).toEqual({ ok: true, epoch });
    this.#leases.set(name, { boot: claimer, epoch });
  }

  #take({ boot: taker, count: wanted }: { readonly boot: string; readonly count: number }, outcome: unknown): void {
    const held = this.#slots.get(taker);
    const used = [...this.#slots.values()].reduce((sum, taken) => sum + taken, 0);
    const taken = Math.min(wanted, LIMIT - used);
    expect(outcome).toBe(held === undefined ? 'fenced' : taken);
    if (held !== undefined) this.#slots.set(taker, held + taken);
  }

  #give(name: string): void {
    this.#leases.set(name, { boot: null, epoch: this.#leases.get(name)?.epoch ?? 0 });
  }

  #isInForce(name: string, epoch: number): boolean {
    const lease = this.#leases.get(name);
    return lease !== undefined && lease.boot !== null && lease.epoch === epoch;
  }
}

function isRetention(each: Act): boolean {
  return each.kind === 'retain';
}
