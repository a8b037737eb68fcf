import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/run/apply.ts';
import { JOURNAL_FORMAT, type RunEvent } from '../../src/domain/run/event.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { answer } from '../../src/testing/index.ts';
import { createInstance } from '../engine/instance.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const FORMATS = readdirSync(HERE).filter((name) => /^v\d+$/u.test(name));
const RECORDINGS = FORMATS.flatMap((format) => readdirSync(`${HERE}${format}`).map((file) => `${format}/${file}`));

describe('recorded runs of every journal format', () => {
  it('[DUR-8] there are some of the present format', () => {
    expect(FORMATS).toContain(`v${JOURNAL_FORMAT}`);
  });

  it.each(RECORDINGS)('[DUR-8] [MOD-10] %s folds, and replays without a difference', async (file) => {
    const runs = JSON.parse(readFileSync(`${HERE}${file}`, 'utf8')) as RunEvent[][];
    expect(runs).toHaveLength(7);
    const journal = createMemoryJournal();
    journal.read = async (runId) => runs.find((events) => events[0]?.run_id === runId) ?? [];
    const instance = await createInstance(() => answer({ text: 'never asked' }), { journal });
    for (const events of runs) {
      const { run_id, state } = fold(events);
      expect(['completed', 'interrupted']).toContain(state);
      expect(await instance.runtime.replay(run_id), run_id).toMatchObject({ events: events.length, differences: [] });
    }
    expect(instance.server.requests).toEqual([]);
  });
});
