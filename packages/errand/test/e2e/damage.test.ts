import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { answer, createScriptedServer } from '../../src/testing/index.ts';
import { openingOf, resultsOf } from '../engine/instance.ts';
import { createPlace, type Ended, errand, startErrand } from './binary.ts';

const linesOf = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

it('[DUR-7] [SUR-2] a helper whose events are damaged keeps nobody from the answer of its root', async () => {
  let first = true;
  const server = await createScriptedServer((request) => {
    if (!openingOf(request).startsWith('ROOT')) return answer({ text: '### SUMMARY\nfound' });
    if (resultsOf(request).length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'look' } }] });
    return first ? server.hold('gate', answer({ text: 'never' })) : answer({ text: 'the whole answer' });
  });
  const place = createPlace({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-FAKE-e2e', ERRAND_MODEL: 'openai/m' });
  const run = startErrand(place, ['run', 'ROOT']);
  await server.whenHeld('gate');
  run.process.kill('SIGKILL');
  await run.ended;
  first = false;
  const database = new DatabaseSync(join(place.home, 'errand.db'));
  database.exec(
    "update events set data = 'x' where seq = 2 and run_id in (select run_id from runs where parent_id is not null)",
  );
  const root = String(database.prepare('select run_id from runs where parent_id is null').get()?.run_id);
  database.close();
  const resumed = await errand(place, ['resume', root, '--output-format', 'stream-json']);
  expect(resumed).toMatchObject({ code: 0, stderr: '' });
  expect(linesOf(resumed).at(-1)).toMatchObject({ type: 'result', state: 'completed', answer: 'the whole answer' });
  const logs = await errand(place, ['logs', root]);
  expect(logs).toMatchObject({ code: 0, stderr: 'errand: the events of 1 helper are damaged (errand doctor).\n' });
  expect(logs.stdout).toContain('run.settled');
  const own = await errand(place, [
    'logs',
    JSON.parse((await errand(place, ['ps', '--all', '--output-format', 'json'])).stdout).runs[1].run_id,
  ]);
  expect(own).toMatchObject({ code: 4, stdout: '', stderr: expect.stringMatching(/is damaged/u) });
  await server.close();
});
