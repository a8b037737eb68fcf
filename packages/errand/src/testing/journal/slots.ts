import assert from 'node:assert/strict';
import type { Boot, Journal } from '../../ports/journal.ts';
import { BOOT, type JournalCase, rejectsWith } from './case.ts';

const OTHER: Boot = { ...BOOT, boot_id: 'boot_2', started_at: 6 };
const A = BOOT.boot_id;
const B = OTHER.boot_id;

async function opened(journal: Journal): Promise<void> {
  await Promise.all([journal.openBoot(BOOT), journal.openBoot(OTHER)]);
}

/** Slots that processes share, and the sign of life that each gives. */
export const SLOTS: readonly JournalCase[] = [
  {
    title: '[LIM-2] slots are taken as far as there are any, over all processes',
    run: async (journal) => {
      await opened(journal);
      assert.equal(await journal.takeSlots(A, 3, 8), 3);
      assert.equal(await journal.takeSlots(B, 4, 8), 4);
      assert.equal(await journal.takeSlots(A, 4, 8), 1);
      assert.equal(await journal.takeSlots(B, 1, 8), 0);
      assert.equal(await journal.takeSlots(B, 0, 8), 0);
      await journal.giveSlots(A, 2);
      assert.equal(await journal.takeSlots(B, 5, 8), 2);
    },
  },
  {
    title: '[LIM-2] slots taken in one tick never exceed the limit together',
    run: async (journal) => {
      await opened(journal);
      const takes = Array.from({ length: 40 }, (_, index) => journal.takeSlots(index % 2 === 0 ? A : B, 3, 64));
      const taken = (await Promise.all(takes)).reduce((sum, count) => sum + count, 0);
      assert.equal(taken, 64);
    },
  },
  {
    title: '[LIM-2] a smaller limit gives nothing until there is room below it; it takes none away',
    run: async (journal) => {
      await opened(journal);
      assert.equal(await journal.takeSlots(A, 10, 64), 10);
      assert.equal(await journal.takeSlots(B, 2, 8), 0);
      await journal.giveSlots(A, 3);
      assert.equal(await journal.takeSlots(B, 2, 8), 1);
    },
  },
  {
    title: '[LIM-2] giving back more than was taken leaves what others hold alone',
    run: async (journal) => {
      await opened(journal);
      await journal.takeSlots(A, 2, 8);
      await journal.takeSlots(B, 6, 8);
      await journal.giveSlots(A, 5);
      await journal.giveSlots(A, 1);
      await journal.giveSlots('boot_none', 9);
      assert.equal(await journal.takeSlots(A, 9, 8), 2);
    },
  },
  {
    title: '[LIM-2] a process that is forgotten gives all its slots back, and takes no more',
    run: async (journal) => {
      await opened(journal);
      await journal.takeSlots(A, 8, 8);
      assert.equal(await journal.takeSlots(B, 8, 8), 0);
      await journal.closeBoot(A);
      await rejectsWith('fenced', journal.takeSlots(A, 1, 8));
      await journal.giveSlots(A, 8);
      assert.equal(await journal.takeSlots(B, 9, 8), 8);
    },
  },
  {
    title: '[DUR-3] beats grow while a process lives; one that others took for dead is told so',
    run: async (journal) => {
      await opened(journal);
      await journal.beat(A);
      await journal.beat(A);
      await journal.beat(B);
      assert.deepEqual(await journal.boots(), [
        { ...BOOT, beats: 2 },
        { ...OTHER, beats: 1 },
      ]);
      await journal.closeBoot(A);
      await rejectsWith('fenced', journal.beat(A));
      await journal.openBoot(BOOT);
      assert.deepEqual(await journal.boots(), [BOOT, { ...OTHER, beats: 1 }]);
    },
  },
];
