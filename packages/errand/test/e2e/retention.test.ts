import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/host/clock.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { answer, createScriptedServer } from '../../src/testing/index.ts';
import { delegating, REPORT } from '../engine/instance.ts';
import { createPlace, errand, type Place } from './binary.ts';

const DAY = 86_400_000;

/** Two runs of a root with one helper each, of which the conversation of the first helper was deleted since. */
async function swept(): Promise<{ place: Place; root: string; helper: string; later: string }> {
  const server = await createScriptedServer(delegating([{ task: 'look' }], () => answer({ text: REPORT })));
  const place = createPlace({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-FAKE-e2e', ERRAND_MODEL: 'openai/m' });
  const run = async () => JSON.parse((await errand(place, ['run', 'ROOT', '--output-format', 'json'])).stdout);
  const first = await run();
  const second = await run();
  await retain(place, { age: DAY, hiddenAge: 0 });
  return { place, root: first.run_id, helper: first.helpers[0].run_id, later: second.run_id };
}

/** Ages are counted from the latest ending of a tree at rest, that of the second run. */
async function retain({ home }: Place, ages: { readonly age: number; readonly hiddenAge: number }): Promise<void> {
  const journal = openSqliteJournal({ folder: home, clock: createSystemClock() });
  await journal.retain({ now: Date.now(), keep: 100, ...ages });
  await journal.close();
}

describe('a helper whose conversation is no longer kept', () => {
  it('[DUR-5] [SUR-4] is shown as far as its record goes; all else of it is one sentence and exit 2', async () => {
    const { place, root, helper, later } = await swept();
    const shown = await errand(place, ['show', helper]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    expect(shown.stdout).toContain('state    completed\n');
    expect(shown.stdout).toContain('Its conversation and its answer are no longer kept (retention.hidden_days).\n');
    const json = JSON.parse((await errand(place, ['show', helper, '--output-format', 'json'])).stdout);
    expect(json).toEqual({ conversation: 'swept', record: expect.objectContaining({ run_id: helper }) });
    for (const args of [
      ['logs', helper],
      ['replay', helper],
      ['replay', helper, '--from', '0'],
      ['resume', helper],
      ['compare', root, helper],
    ]) {
      const ended = await errand(place, args);
      expect(ended, args.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(ended.stderr).toMatch(/^errand: the conversation of \S+ "look" is no longer kept [^\n]+\n$/u);
    }
    expect((await errand(place, ['show', root])).stdout).toContain('the merged answer');
    expect(await errand(place, ['compare', root, later])).toMatchObject({ code: 0, stderr: '' });
    expect(await errand(place, ['replay', root])).toMatchObject({ code: 0, stderr: '' });
    const logs = await errand(place, ['logs', root]);
    expect(logs).toMatchObject({ code: 0, stderr: expect.stringContaining('the events of 1 helper are no longer') });
    expect(logs.stdout).toContain(`${root} run.settled completed`);
  });
});

describe('a run that has ended and is due', () => {
  it('[DUR-4] [DUR-5] is gone on with by errand resume, not deleted by it', async () => {
    const server = await createScriptedServer(() => answer({ text: 'the answer' }));
    const place = createPlace({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-FAKE-e2e', ERRAND_MODEL: 'openai/m' });
    mkdirSync(place.home);
    writeFileSync(join(place.home, 'config.toml'), '[retention]\nruns = 1\n');
    const run = async (...args: string[]) =>
      JSON.parse((await errand(place, [...args, '--output-format', 'json'])).stdout);
    const first = await run('run', 'find the gate');
    await run('run', 'find the gate again');
    const resumed = await run('resume', first.run_id);
    expect(resumed).toMatchObject({ type: 'result', state: 'completed', answer: 'the answer' });
    expect(resumed.run_id).not.toBe(first.run_id);
    const { record } = await run('show', resumed.run_id);
    expect(record.resumed_from).toBe(first.run_id);
  });
});

describe('errand usage', () => {
  it('[RES-7] [DUR-5] is the same before and after runs are deleted, but for how many of them are kept', async () => {
    const { place } = await swept();
    const usage = async () => JSON.parse((await errand(place, ['usage', '--output-format', 'json'])).stdout);
    const before = await usage();
    expect(before).toEqual({
      models: [{ model: 'openai/m', runs: 4, deleted: 0, usage: before.total }],
      total: before.total,
    });
    expect(before.total.input).toBeGreaterThan(0);
    await retain(place, { age: 0, hiddenAge: 0 });
    expect(await usage()).toEqual({ ...before, models: [{ ...before.models[0], deleted: 2 }] });
    const text = await errand(place, ['usage']);
    expect(text).toMatchObject({ code: 0, stderr: '' });
    expect(text.stdout).toMatch(/^MODEL +RUNS +INPUT +CACHED +OUTPUT +REASONING\nopenai\/m +4 +/u);
    expect(text.stdout.endsWith('\nOf these runs, 2 are no longer kept.\n')).toBe(true);
  });

  it('[SUR-4] makes no store where there is none', async () => {
    const place = createPlace();
    expect(await errand(place, ['usage'])).toEqual({ code: 0, signal: null, stdout: 'No runs.\n', stderr: '' });
    expect((await errand(place, ['doctor'])).stdout).toContain('not there yet');
  });
});
