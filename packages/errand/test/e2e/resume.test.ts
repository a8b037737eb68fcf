import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { answer, createScriptedServer, type Reply, type ScriptedRequest, stallAfter } from '../../src/testing/index.ts';
import { openingOf, resultsOf } from '../engine/instance.ts';
import { createPlace, type Ended, errand, type Place, type Started, startErrand } from './binary.ts';

type Handler = (request: ScriptedRequest) => Reply | Promise<Reply>;

/** A server that does what `script` says at the moment, and the place of a person who is connected to it. */
async function serve(first: Handler) {
  const stage = { script: first };
  const server = await createScriptedServer((request) => stage.script(request));
  const place = createPlace({ OPENAI_BASE_URL: server.url, OPENAI_API_KEY: 'sk-FAKE-e2e', ERRAND_MODEL: 'openai/m' });
  return { server, place, stage };
}

const jsonOf = (ended: Ended) => JSON.parse(ended.stdout);
const linesOf = ({ stdout }: Ended) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const runs = async (place: Place) => jsonOf(await errand(place, ['ps', '--all', '--output-format', 'json'])).runs;

/** Kills the process as nothing in it can notice, and waits until it is gone. */
async function kill(started: Started): Promise<void> {
  const gone = once(started.process, 'close');
  started.process.kill('SIGKILL');
  await gone;
}

/** One tool call, then half an answer and nothing more. */
const stalling: Handler = (request) =>
  resultsOf(request).length === 0
    ? answer({ text: 'looking', calls: [{ name: 'list', args: {} }] })
    : stallAfter('half of the ans');

const done =
  (text: string): Handler =>
  () =>
    answer({ text });

/** A run that was killed in the middle of its second call's stream. */
async function killed(task = 'find the gate') {
  const { server, place, stage } = await serve(stalling);
  const run = startErrand(place, ['run', task, '--output-format', 'stream-json']);
  await run.saw('half of the ans');
  await kill(run);
  const [found] = await runs(place);
  return { server, place, stage, id: String(found.run_id) };
}

describe('a run that is over', () => {
  it('[DUR-4] [DUR-6] is gone on with by one new run, whichever of several processes is first', async () => {
    const { place, stage } = await serve(done('the first answer'));
    const { run_id } = jsonOf(await errand(place, ['run', 'find the gate', '--output-format', 'json']));
    stage.script = done('and more');
    const ends = await Promise.all([1, 2, 3].map(() => errand(place, ['resume', run_id, '--output-format', 'json'])));
    const found = await runs(place);
    expect(found).toHaveLength(2);
    const next = found.find((run: { run_id: string }) => run.run_id !== run_id)?.run_id;
    const answered = ends.filter(({ code }) => code === 0);
    expect(answered.length).toBeGreaterThan(0);
    for (const ended of answered) expect(jsonOf(ended)).toMatchObject({ run_id: next, answer: 'and more' });
    for (const { code, stderr } of ends.filter((ended) => !answered.includes(ended)))
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^errand: .* is at work\./u) });
  });

  it('[DUR-4] [DUR-5] once it has been deleted, is still known by the run that went on from it', async () => {
    const { place, stage, server } = await serve(done('the first answer'));
    const { run_id } = jsonOf(await errand(place, ['run', 'find the gate', '--output-format', 'json']));
    stage.script = done('and more');
    const next = jsonOf(await errand(place, ['resume', run_id, '--output-format', 'json']));
    const database = new DatabaseSync(join(place.home, 'errand.db'));
    for (const table of ['runs', 'events']) database.prepare(`delete from ${table} where run_id = ?`).run(run_id);
    database.close();
    const asked = server.requests.length;
    const again = await errand(place, ['resume', run_id, '--output-format', 'json']);
    expect(again.code).toBe(0);
    expect(jsonOf(again)).toEqual(next);
    expect(server.requests).toHaveLength(asked);
  });
});

describe('a process that was killed in the middle of a stream', () => {
  it('[DUR-3] [DUR-7] ps shows its run as interrupted at once, show says how to go on', async () => {
    const { place, id } = await killed();
    const listing = await errand(place, ['ps']);
    expect(listing.stdout).toContain('‖ interrupted (restart)');
    expect((await runs(place))[0]).toMatchObject({ run_id: id, state: 'interrupted', reason: 'restart' });
    const show = await errand(place, ['show', id]);
    expect(show.stdout).toContain(`go on    errand resume ${id}\n`);
  });

  it('[DUR-3] [DUR-4] [SUR-4] resume goes on with the same run, pays for no finished call again, and completes', async () => {
    const { server, place, stage, id } = await killed();
    expect(server.requests).toHaveLength(2);
    stage.script = done('the gate is in alpha.ts');
    const resumed = await errand(place, ['resume', id]);
    expect(resumed).toMatchObject({ code: 0, stdout: 'the gate is in alpha.ts\n' });
    // One call more: the step that had finished is in its transcript, with the result of its tool.
    expect(server.requests).toHaveLength(3);
    const request = server.requests[2];
    if (!request) throw new Error('no request');
    expect(openingOf(request)).toContain('find the gate');
    expect(resultsOf(request)[0]).toContain('alpha.ts');
    const [run, ...others] = await runs(place);
    expect(run).toMatchObject({ run_id: id, state: 'completed', reason: null });
    expect(others).toEqual([]);
    await server.whenIdle();
  });

  it('[DUR-4] [SUR-2] resume prints what run prints: one object, or every event from the first and the result last', async () => {
    const { place, stage, id } = await killed();
    stage.script = () => stallAfter('again half');
    const again = startErrand(place, ['resume', id, '--output-format', 'stream-json']);
    await again.saw('again half');
    await kill(again);
    stage.script = done('whole');
    const lines = linesOf(await errand(place, ['resume', id, '--output-format', 'stream-json']));
    const events = lines.slice(0, -1);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.filter(({ type }) => type === 'run.resumed')).toHaveLength(2);
    expect(lines.at(-1)).toMatchObject({ type: 'result', run_id: id, state: 'completed', answer: 'whole' });
    expect(jsonOf(await errand(place, ['show', id, '--output-format', 'json']))).toMatchObject(lines.at(-1));
  });

  it('[DUR-3] [SUR-4] it can be stopped instead, from here', async () => {
    const { place, id } = await killed();
    expect((await errand(place, ['stop', id])).code).toBe(0);
    expect((await runs(place))[0].state).not.toBe('running');
  });
});

describe('errand resume at a limit', () => {
  it('[DUR-4] without a raise it is refused with the flag to use, and nothing is recorded; with it the run goes on', async () => {
    const { server, place, stage } = await serve(() =>
      answer({ text: 'still looking', calls: [{ name: 'list', args: {} }] }),
    );
    const run = await errand(place, ['run', 'go', '--steps', '2', '--output-format', 'json']);
    expect(run.code).toBe(3);
    const { run_id: id } = jsonOf(run);
    expect(run.stderr).toContain(`go on with it: errand resume ${id} --steps 4`);
    const before = (await errand(place, ['logs', id])).stdout;
    for (const args of [[], ['--steps', '2'], ['--wall', '5m']]) {
      const refused = await errand(place, ['resume', id, ...args]);
      expect(refused).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `errand: ${id} has used up the 2 steps that it may take; to go on with it: errand resume ${id} --steps 4.\n`,
      });
    }
    expect((await errand(place, ['logs', id])).stdout).toBe(before);
    expect(server.requests).toHaveLength(2);
    stage.script = done('found');
    const resumed = await errand(place, ['resume', id, '--steps', '4', '--output-format', 'json']);
    expect(resumed.code).toBe(0);
    expect(jsonOf(resumed)).toMatchObject({ run_id: id, state: 'completed', answer: 'found', partial: false });
  });
});

describe('errand resume of a run that has ended', () => {
  it('[DUR-4] makes one new run with its transcript; asked twice, the same one', async () => {
    const { server, place, stage } = await serve(done('first answer'));
    const first = jsonOf(await errand(place, ['run', 'go', '--output-format', 'json']));
    stage.script = done('second answer');
    const args = ['resume', first.run_id, '--message', 'and what about beta?', '--output-format', 'json'];
    const second = await errand(place, args);
    expect(second.code).toBe(0);
    const { run_id: next } = jsonOf(second);
    expect(next).not.toBe(first.run_id);
    expect(second.stderr).toContain(`had ended (completed): a new run, ${next}, goes on from its transcript.`);
    const texts = JSON.stringify(server.requests[1]?.messages);
    expect(texts).toContain('first answer');
    expect(texts).toContain('and what about beta?');
    const again = await errand(place, args);
    expect(again).toMatchObject({ code: 0, stdout: second.stdout });
    expect(again.stderr).toContain(`was gone on with before, by ${next}.`);
    expect(server.requests).toHaveLength(2);
    expect(await runs(place)).toHaveLength(2);
  });
});

describe('errand resume --all', () => {
  it('[DUR-4] [SUR-4] goes on with every interrupted root, in its own folder; exit code of the worst', async () => {
    const { place, stage } = await killed('first task');
    const other = join(place.work, '..', 'other');
    mkdirSync(other);
    stage.script = stalling;
    const second = startErrand(place, ['run', 'second task', '--cwd', other, '--output-format', 'stream-json']);
    await second.saw('half of the ans');
    await kill(second);
    stage.script = () => answer({ text: 'no end', calls: [{ name: 'list', args: {} }] });
    const limited = await errand(place, ['run', 'third task', '--steps', '1', '--output-format', 'json']);
    expect(limited.code).toBe(3);
    stage.script = (request) => answer({ text: `the end of ${openingOf(request).split('\n')[0]}` });

    const all = await errand(place, ['resume', '--all']);
    expect(all.stdout).toBe('# first task\n\nthe end of first task\n\n# second task\n\nthe end of second task\n');
    expect(all.stderr).toContain(
      `"third task" does not go on: ${jsonOf(limited).run_id} has used up the 1 step that it may take; to go on with it: errand resume ${jsonOf(limited).run_id} --steps 2.`,
    );
    expect(all.code).toBe(3);

    const raised = await errand(place, ['resume', '--all', '--steps', '5', '--output-format', 'stream-json']);
    expect(raised.code).toBe(0);
    const lines = linesOf(raised);
    expect(lines.at(-1)).toMatchObject({
      type: 'results',
      skipped: [],
      results: [{ answer: 'the end of third task' }],
    });
    expect(lines.at(-2)).toEqual(lines.at(-1).results[0]);
    expect((await runs(place)).map(({ state }: { state: string }) => state)).toEqual(Array(3).fill('completed'));

    const nothing = await errand(place, ['resume', '--all', '--output-format', 'json']);
    expect(nothing).toMatchObject({ code: 0, stderr: 'errand: no root run is interrupted or queued.\n' });
    expect(jsonOf(nothing)).toEqual({ type: 'results', results: [], skipped: [] });
  });
});

describe('errand replay and compare', () => {
  it('[DUR-8] [SUR-4] a run replays without network, is forked from a step, and the two are compared', async () => {
    const { server, place, stage } = await serve((request) =>
      resultsOf(request).length === 0
        ? answer({ calls: [{ name: 'list', args: {} }] })
        : answer({ text: 'one\ntwo\nthree' }),
    );
    const first = jsonOf(await errand(place, ['run', 'go', '--output-format', 'json']));
    const offline = { ...place, environment: { ...place.environment, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } };
    const replay = await errand(offline, ['replay', first.run_id]);
    expect(replay).toMatchObject({ code: 0, stdout: expect.stringMatching(/^took the same course: \d+ events\n$/u) });
    expect(jsonOf(await errand(offline, ['replay', first.run_id, '--output-format', 'json']))).toMatchObject({
      type: 'replay',
      run_id: first.run_id,
      differences: [],
    });
    expect(server.requests).toHaveLength(2);

    stage.script = (request) =>
      resultsOf(request).length === 1
        ? answer({ calls: [{ name: 'read', args: { path: 'alpha.ts' } }] })
        : answer({ text: 'one\nzwei\nthree' });
    const forked = await errand(place, ['replay', first.run_id, '--from', '1', '--output-format', 'json']);
    expect(forked.code).toBe(0);
    const { run_id: fork } = jsonOf(forked);
    expect(fork).not.toBe(first.run_id);
    expect(server.requests).toHaveLength(4);

    const compared = await errand(place, ['compare', first.run_id, fork, '--output-format', 'json']);
    expect(jsonOf(compared)).toMatchObject({
      type: 'comparison',
      a: { run_id: first.run_id, steps: 2, kept_steps: 0 },
      b: { run_id: fork, steps: 2, kept_steps: 1 },
      same_model: true,
      same_state: true,
      parted_at_step: 2,
      answer: { equal: false },
    });
    const page = await errand(place, ['compare', first.run_id, fork]);
    expect(page.stdout).toContain('They part at step 2 after list:\n  a  no call\n  b  read {"path":"alpha.ts"}\n');
    expect(page.stdout).toContain('  one\n- two\n+ zwei\n  three\n');

    const beyond = await errand(place, ['replay', first.run_id, '--from', '9']);
    expect(beyond).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('has 2 steps') });
  });
});

describe('the store', () => {
  it('[DUR-7] [SUR-4] a backup is a store that can be read elsewhere; it overwrites nothing', async () => {
    const { place } = await serve(done('kept'));
    const { run_id: id } = jsonOf(await errand(place, ['run', 'go', '--output-format', 'json']));
    const elsewhere = join(place.home, '..', 'elsewhere');
    mkdirSync(elsewhere);
    const file = join(elsewhere, 'errand.db');
    expect(await errand(place, ['backup', '../elsewhere/errand.db'])).toMatchObject({
      code: 0,
      stdout: `The store is copied to ${file}.\n`,
    });
    const refused = await errand(place, ['backup', file]);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('is there already') });
    const copy = { ...place, environment: { ...place.environment, ERRAND_HOME: elsewhere } };
    expect((await errand(copy, ['show', id])).stdout).toContain('kept');
    const doctor = await errand(copy, ['doctor']);
    expect(doctor.stdout).toMatch(/✓ +store +\S+errand\.db: \d+ KB and .*write-ahead log, SQLite 3\.\d+/u);
  });

  it('[DUR-7] a damaged store is one sentence and exit 4 for every command that needs it, and doctor names it', async () => {
    const { place } = await serve(done('kept'));
    const { run_id: id } = jsonOf(await errand(place, ['run', 'go', '--output-format', 'json']));
    truncateSync(join(place.home, 'errand.db'), 100);
    for (const args of [
      ['run', 'go'],
      ['resume', id],
      ['resume', '--all'],
      ['stop', id],
      ['ps'],
      ['backup', 'copy.db'],
    ]) {
      const ended = await errand(place, args);
      expect(ended).toMatchObject({ code: 4, stdout: '' });
      expect(ended.stderr).toMatch(/^errand: [^\n]*errand\.db is damaged [^\n]*put a backup in its place\.\n$/u);
    }
    expect(existsSync(join(place.work, 'copy.db'))).toBe(false);
    const doctor = await errand(place, ['doctor']);
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/✗ +store +The file \S+errand\.db is damaged/u),
    });
  });

  it('[DUR-7] a folder that takes no store is one sentence and exit 4', async () => {
    const { place } = await serve(done('never'));
    writeFileSync(place.home, 'a file where the folder should be');
    chmodSync(place.home, 0o600);
    const ended = await errand(place, ['run', 'go']);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
    expect(ended.stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(place.work).toSorted()).toEqual(['alpha.ts', 'beta.ts']);
  });
});

describe('a process that is killed while others look on', () => {
  it('[SUR-4] [DUR-3] [PAIN-13] `logs -f` ends, since nothing more will come', async () => {
    const { server, place } = await serve(stalling);
    const run = startErrand(place, ['run', 'go']);
    await server.whenRequests(2);
    const [{ run_id }] = await runs(place);
    const logs = startErrand(place, ['logs', run_id, '-f']);
    await logs.saw('model.started step 2');
    await kill(run);
    expect(await logs.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('tool.finished list ok') });
  });
});
