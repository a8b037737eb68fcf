import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Journal, JournalEntry, ModelUsage, RetentionRule } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { dueTrees, type TreeAtRest } from '../../src/stores/shared/retention.ts';
import { interrupt, withSpec } from '../../src/testing/journal/trees.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const TREES = ['run_a', 'run_b', 'run_c', 'run_d'];
const MODELS = ['one/small', 'two/large', 'three/large'];
const TIMES = 100;

const time = fc.oneof(fc.nat(TIMES), fc.maxSafeNat());
const rule: fc.Arbitrary<RetentionRule> = fc.record({
  now: time,
  age: time,
  hiddenAge: time,
  keep: fc.oneof(fc.nat(12), fc.constant(Number.MAX_SAFE_INTEGER)),
});

describe('what is due, for any trees and any rule', () => {
  const trees = fc.uniqueArray(
    fc.record({ root_id: fc.string(), runs: fc.integer({ min: 1, max: 9 }), ended_at: time, conversations: fc.nat(8) }),
    { selector: (tree) => tree.root_id, maxLength: 20 },
  );
  const last = (all: readonly TreeAtRest[]) => Math.max(...all.map((tree) => tree.ended_at));

  it('[DUR-5] [DUR-7] what ended last is never due by age, whatever the clock says, and nothing is that is not old beside it', () => {
    fc.assert(
      fc.property(trees, rule, (all, given) => {
        const { outdated, hidden } = dueTrees(all, { ...given, keep: Number.MAX_SAFE_INTEGER });
        for (const tree of outdated) expect(tree.ended_at + given.age).toBeLessThan(last(all));
        for (const tree of hidden) expect(tree.ended_at + given.hiddenAge).toBeLessThan(last(all));
      }),
    );
  });

  it('[DUR-5] nothing is due earlier by the clock than its age, and by a clock that is right all that is old is', () => {
    fc.assert(
      fc.property(trees, rule, (all, given) => {
        const { outdated } = dueTrees(all, { ...given, keep: Number.MAX_SAFE_INTEGER });
        for (const tree of outdated) expect(tree.ended_at).toBeLessThan(given.now - given.age);
        if (given.now > last(all)) return;
        const old = all.filter((tree) => tree.ended_at < given.now - given.age);
        expect(new Set(outdated)).toEqual(new Set(old));
      }),
    );
  });

  it('[DUR-5] no tree is both deleted and swept, and no more runs stay than are to be kept, but for one tree', () => {
    fc.assert(
      fc.property(trees, rule, (all, given) => {
        const { outdated, hidden } = dueTrees(all, given);
        expect(hidden.filter((tree) => outdated.includes(tree))).toEqual([]);
        const staying = all.filter((tree) => !outdated.includes(tree)).map((tree) => tree.runs);
        if (staying.length === 0) return;
        const kept = staying.reduce((sum, runs) => sum + runs, 0);
        expect(kept - Math.max(...staying)).toBeLessThan(given.keep);
      }),
    );
  });
});

interface Tree {
  readonly at: number;
  readonly model: string;
  readonly large: boolean;
  /** How the root, and each helper, came out. */
  readonly root: 'completed' | 'interrupted' | 'running';
  readonly helpers: readonly ('completed' | 'interrupted' | 'running')[];
}

type Act =
  | { readonly kind: 'retain'; readonly rule: RetentionRule }
  | { readonly kind: 'helper' | 'discard'; readonly tree: number; readonly at: number };

const came = fc.constantFrom('completed', 'completed', 'completed', 'interrupted', 'running');
const tree: fc.Arbitrary<Tree> = fc.record({
  at: fc.nat(TIMES),
  model: fc.constantFrom(...MODELS),
  large: fc.boolean(),
  root: came,
  helpers: fc.array(came, { maxLength: 3 }),
});
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('retain' as const), rule }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('helper' as const), tree: fc.nat(TREES.length - 1), at: fc.nat(TIMES) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('discard' as const), tree: fc.nat(TREES.length - 1), at: fc.nat(TIMES) }),
  },
);

/** The same in memory and in SQLite. */
class Both {
  readonly #journals = [createMemoryJournal(), openStore({ folder: temporaryFolder() })];
  readonly #roots = new Map<string, SampleRun>();
  readonly #ids: string[] = [];

  async plant(run_id: string, { at, model, large, root, helpers }: Tree): Promise<void> {
    const parent = new SampleRun({ run_id, at });
    this.#roots.set(run_id, parent);
    for (const journal of this.#journals) await parent.claim(journal);
    const runs = helpers.map((_, index) => new SampleRun({ run_id: `${run_id}_${index}`, parent, at: at + index }));
    const output = large ? 'x'.repeat(40_000) : 'short';
    const entries = [parent, ...runs].flatMap((run, index) => {
      this.#ids.push(run.run_id);
      const end = index === 0 ? root : helpers[index - 1];
      const begun = [run.create(), run.start(), ...run.step(output)];
      if (end === 'running') return begun;
      return [...begun, end === 'completed' ? run.settle() : interrupt(run)];
    });
    const made = entries.map((entry) => withSpec(entry, { model }));
    expect(await this.#append(made)).toBeNull();
  }

  async perform(each: Act): Promise<void> {
    const run_id = TREES[each.kind === 'retain' ? 0 : each.tree] ?? '';
    if (each.kind === 'retain') return this.#retain(each.rule);
    if (each.kind === 'discard') {
      // One that is not there has no lease under which it could be discarded.
      const discarded = this.#journals.map((journal) => journal.discard(run_id, 1));
      for (const outcome of await Promise.allSettled(discarded))
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'fenced' });
      return;
    }
    const parent = this.#roots.get(run_id);
    if (!parent) return;
    const helper = new SampleRun({ run_id: `${run_id}_${this.#ids.length}`, parent, at: each.at });
    this.#ids.push(helper.run_id);
    await this.#append([helper.create(), helper.start(), helper.settle()]);
  }

  /** Fails unless both hold the same, and are sound. */
  async expectSame(): Promise<void> {
    const [memory, sqlite] = await Promise.all(this.#journals.map((journal) => this.#content(journal)));
    expect(sqlite).toEqual(memory);
    for (const journal of this.#journals) expect(await journal.check()).toEqual([]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#journals.map((journal) => journal.close()));
  }

  async #retain(given: RetentionRule): Promise<void> {
    const outcomes: unknown[] = [];
    for (const journal of this.#journals) {
      const before = await journal.usage();
      const retained = await journal.retain(given);
      const after = await journal.usage();
      expect(after.map(withoutDeleted)).toEqual(before.map(withoutDeleted));
      expect(deletedOf(after) - deletedOf(before)).toBe(retained.runs);
      outcomes.push(retained);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
  }

  /** The code of what refused it; null: it was recorded. */
  async #append(entries: readonly JournalEntry[]): Promise<unknown> {
    const [memory, sqlite] = await Promise.all(
      this.#journals.map((journal) => codeOf(journal.append(entries).then(() => null))),
    );
    expect(sqlite).toEqual(memory);
    return memory;
  }

  async #content(journal: Journal): Promise<unknown> {
    const events = await Promise.all(this.#ids.map((runId) => codeOf(journal.read(runId))));
    return { records: await journal.records(), usage: await journal.usage(), events };
  }
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.catch((error: { code?: unknown }) => error.code);
}

function withoutDeleted({ deleted: _, ...rest }: ModelUsage): unknown {
  return rest;
}

function deletedOf(sums: readonly ModelUsage[]): number {
  return sums.reduce((all, sum) => all + sum.deleted, 0);
}

describe('retention, whatever is on record', () => {
  it('[DUR-5] comes to the same in memory and in SQLite, leaves the store sound, and changes no usage but what is deleted', async () => {
    const trees = fc.array(tree, { maxLength: TREES.length });
    await fc.assert(
      fc.asyncProperty(trees, fc.array(act, { maxLength: 8 }), async (planted, acts) => {
        const both = new Both();
        for (const [index, each] of planted.entries()) await both.plant(TREES[index] ?? '', each);
        for (const each of acts) {
          await both.perform(each);
          await both.expectSame();
        }
        await both.close();
      }),
      { numRuns: 100 },
    );
  });
});
