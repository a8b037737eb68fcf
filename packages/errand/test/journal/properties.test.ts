import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import type { Journal, JournalEntry } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { SampleRun } from '../../src/testing/sample-run.ts';
import { temporaryFolder } from './folder.ts';
import { openStore } from './open-store.ts';

const RUNS = 4;
const PARALLEL = 6;

type Action =
  | { readonly kind: 'append' | 'repeat' | 'skip' | 'both'; readonly run: number }
  | { readonly kind: 'discard'; readonly run: number }
  | { readonly kind: 'read'; readonly run: number; readonly after: number }
  | { readonly kind: 'reopen' };

const run = fc.nat(RUNS - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom('append', 'both'), run }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('repeat', 'skip'), run }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), run }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('read' as const), run, after: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
);

/** What should be there, and the entries that come next. The four runs are two trees of a parent and a child. */
class Model {
  readonly stored = new Map<number, { events: RunEvent[]; entry: JournalEntry }>();
  readonly #scripts = new Map<number, JournalEntry[]>();
  #made = 0;

  /** The next entry of a run, to be recorded by `take`. */
  next(index: number): JournalEntry {
    const entry = this.#script(index)[0];
    if (!entry) throw new Error('the script is over');
    return entry;
  }

  /** The entry after the next, which must not be recorded. */
  afterNext(index: number): JournalEntry {
    return this.#script(index)[1] ?? this.next(index);
  }

  take(index: number): void {
    const entry = this.#script(index).shift();
    if (!entry) return;
    const events = this.stored.get(index)?.events ?? [];
    this.stored.set(index, { events: [...events, ...entry.events], entry });
  }

  discard(index: number): void {
    for (const each of [index - (index % 2), index - (index % 2) + 1]) {
      this.stored.delete(each);
      this.#scripts.delete(each);
    }
  }

  #script(index: number): JournalEntry[] {
    let script = this.#scripts.get(index);
    if (!script) {
      const even = index - (index % 2);
      const parent = new SampleRun({ run_id: `run_${even}` });
      const sample = index === even ? parent : new SampleRun({ run_id: `run_${index}`, parent });
      const output = this.#made++ % 2 === 0 ? 'x'.repeat(40_000) : 'short';
      script = [sample.create(), sample.start()];
      for (let step = 0; step < 40; step++) script.push(...sample.step(output));
      this.#scripts.set(index, script);
    }
    return script;
  }
}

/** Does the actions in groups of one tick each, and compares with the model after each group. */
async function follow(actions: readonly Action[], open: () => Journal): Promise<void> {
  const model = new Model();
  let journal = open();
  await Promise.all([claim(journal, rootOf(0)), claim(journal, rootOf(2))]);
  for (let start = 0; start < actions.length; start += PARALLEL) {
    const group = actions.slice(start, start + PARALLEL);
    await Promise.all(group.map((each) => act(journal, model, each)));
    if (group.some((each) => each.kind === 'reopen')) {
      await journal.close();
      journal = open();
    }
    await compare(journal, model, group);
  }
  await journal.close();
}

function rootOf(index: number): string {
  return `run_${index - (index % 2)}`;
}

function claim(journal: Journal, root_id: string): Promise<unknown> {
  return journal.claim({ root_id, boot_id: 'boot_sample', mayTake: () => false });
}

function act(journal: Journal, model: Model, each: Action): Promise<unknown> {
  switch (each.kind) {
    case 'append': {
      const entry = model.next(each.run);
      model.take(each.run);
      return journal.append([entry]);
    }
    case 'both': {
      const runs = [each.run, (each.run + 1) % RUNS];
      const entries = runs.map((index) => model.next(index));
      for (const index of runs) model.take(index);
      return journal.append(entries);
    }
    case 'repeat': {
      const stored = model.stored.get(each.run);
      if (!stored) return Promise.resolve();
      // With a good entry of another run: neither is to be recorded.
      const good = model.next((each.run + 1) % RUNS);
      return expect(journal.append([good, stored.entry])).rejects.toMatchObject({ code: 'conflict' });
    }
    case 'skip':
      return expect(journal.append([model.afterNext(each.run)])).rejects.toMatchObject({ code: 'conflict' });
    case 'discard':
      model.discard(each.run);
      return Promise.all([journal.discard(rootOf(each.run), 1), claim(journal, rootOf(each.run))]);
    case 'read':
    case 'reopen':
      return Promise.resolve();
  }
}

async function compare(journal: Journal, model: Model, group: readonly Action[]): Promise<void> {
  const records = await journal.records();
  const expected = [...model.stored.values()].map(({ entry }) => entry.record);
  expect(sorted(records)).toEqual(sorted(expected));
  for (let index = 0; index < RUNS; index++) {
    const events = model.stored.get(index)?.events ?? [];
    expect(await journal.read(`run_${index}`)).toEqual(events);
    for (const each of group) {
      if (each.kind === 'read')
        expect(await journal.read(`run_${index}`, each.after)).toEqual(events.slice(each.after));
    }
  }
}

function sorted<Row extends { readonly run_id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => a.run_id.localeCompare(b.run_id));
}

describe('any sequence of calls', () => {
  const actions = fc.array(action, { maxLength: 60 });

  it('[DUR-1] leaves a memory journal as the model says', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (each) => {
        const journal = createMemoryJournal();
        await follow(
          each.filter(({ kind }) => kind !== 'reopen'),
          () => journal,
        );
      }),
      { numRuns: 100 },
    );
  });

  it('[DUR-1] leaves a SQLite journal as the model says, also when it is opened again', async () => {
    await fc.assert(
      fc.asyncProperty(actions, async (each) => {
        const folder = temporaryFolder();
        await follow(each, () => openStore({ folder }));
      }),
      { numRuns: 60 },
    );
  });
});

describe('recovery', () => {
  it('[DUR-1] [RUN-6] the events of a run add up to its row, wherever recording stopped and however it was batched', async () => {
    const batches = fc.array(fc.record({ size: fc.integer({ min: 1, max: 5 }), wait: fc.boolean() }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(batches, fc.string({ unit: 'binary', maxLength: 30 }), async (parts, text) => {
        const folder = temporaryFolder();
        const journal = openStore({ folder });
        const sample = new SampleRun({ run_id: 'run_a', opening: text });
        await sample.claim(journal);
        const entries = [sample.create(), sample.start()];
        for (let step = 0; step < 60; step++) entries.push(...sample.step(text.repeat(step * 50)));
        const pending: Promise<void>[] = [];
        let next = 0;
        for (const { size, wait } of parts) {
          for (const entry of entries.slice(next, next + size)) pending.push(journal.append([entry]));
          next += size;
          if (wait) await Promise.all(pending);
        }
        await journal.close();
        await Promise.all(pending);
        const again = openStore({ folder, mode: 'read' });
        const events = await again.read('run_a');
        const record = await again.record('run_a');
        await again.close();
        expect(events).toEqual(entries.slice(0, next).flatMap((entry) => entry.events));
        expect(record).toEqual(events.length > 0 ? recordOf(fold(events)) : null);
      }),
      { numRuns: 40 },
    );
  });
});
