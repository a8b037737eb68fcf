import assert from 'node:assert/strict';
import { SampleRun } from '../sample-run.ts';
import { claimed, type JournalCase, root } from './case.ts';

/** Texts under their content address. */
export const BLOBS: readonly JournalCase[] = [
  {
    title: '[DUR-1] a text has its content address, at once and for good',
    run: async (journal) => {
      const address = journal.putBlob('You are a helper.');
      assert.equal(journal.putBlob('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
      assert.match(address, /^[0-9a-f]{64}$/u);
      assert.equal(journal.putBlob('You are a helper.'), address);
      assert.notEqual(journal.putBlob('You are another.'), address);
      assert.equal(await journal.getBlob(address), 'You are a helper.');
      await claimed(journal, root());
      await journal.append([root().create()]);
      assert.equal(await journal.getBlob(address), 'You are a helper.');
      assert.equal(await journal.getBlob('0'.repeat(64)), null);
      const odd = '\ufeffa\u0000b\u{1F600}';
      const oddAddress = journal.putBlob(odd);
      await claimed(journal, root('run_b'));
      await journal.append([root('run_b').create()]);
      assert.equal(await journal.getBlob(oddAddress), odd);
    },
  },
  {
    title: '[DUR-1] a text that was put for itself outlives a run that used the same',
    run: async (journal) => {
      const text = 'x'.repeat(100_000);
      const address = journal.putBlob(text);
      const run = new SampleRun({ run_id: 'run_a', opening: text });
      await claimed(journal, run);
      await journal.append([run.create()]);
      await journal.discard('run_a', 1);
      assert.equal(await journal.getBlob(address), text);
    },
  },
];
