import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, hang, stallAfter, status } from '../../src/testing/index.ts';
import { createInstance, delegating, type Instance, REPORT, resultsOf } from './instance.ts';

async function expectSameCourse(instance: Instance): Promise<void> {
  for (const { run_id, state } of await instance.runtime.records())
    expect(await instance.runtime.replay(run_id), `${run_id} ${state}`).toMatchObject({ differences: [] });
}

describe('a replay', () => {
  it('[DUR-8] of a run that is at work shows the course so far; of one that was stopped, the stop is no other course', async () => {
    const instance = await createInstance(
      delegating([{ task: 'a' }, { task: 'b' }], (request) =>
        request.text.includes('QUESTION\\na') ? hang() : stallAfter('half'),
      ),
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenRequests(3);
    await expectSameCourse(instance);
    handle.cancel('user');
    expect(await handle.result).toMatchObject({ state: 'cancelled' });
    await expectSameCourse(instance);
  });

  it('[DUR-8] of a run that was stopped in the queue, or while it waited to try again, takes the same course', async () => {
    const queued = await createInstance(
      delegating([{ task: 'a' }, { task: 'b' }], () => queued.server.hold('gate', answer({ text: REPORT }))),
      { limits: { max_concurrent: 1, launch_concurrency: 1 } },
    );
    const handle = await queued.start('ROOT');
    await queued.server.whenHeld('gate');
    handle.cancel('user');
    await handle.result;
    await expectSameCourse(queued);

    const retrying = await createInstance(() => status(503));
    const tried = await retrying.start('go', { limits: { wall_ms: 1_000 } });
    await retrying.server.whenRequests(1);
    await retrying.clock.whenPending(3);
    await retrying.clock.advance(1_000);
    expect(await tried.result).toMatchObject({ state: 'interrupted', reason: 'wall' });
    await expectSameCourse(retrying);
  });

  it('[DUR-8] knows the tools that the run was offered, and the bounds of its time', async () => {
    const instance = await createInstance(
      delegating([{ task: 'a', role: 'consultant' }], (request) => {
        if (resultsOf(request).length > 0) return answer({ text: REPORT });
        return answer({
          calls: [
            { name: 'nonsense', args: {} },
            { name: 'read', args: { path: 'long.txt' } },
          ],
        });
      }),
    );
    writeFileSync(join(instance.folder, 'long.txt'), `${'word '.repeat(100)}\n`.repeat(40));
    await instance.run('ROOT');
    await expectSameCourse(instance);
    const later = await createInstance(() => answer({ text: 'never' }), {
      journal: instance.journal,
      limits: { tool_result_characters: 200 },
    });
    instance.journal.close = async () => {};
    await expectSameCourse(later);
  });

  it('[DUR-8] [CTX-8] fits the same window, also where no provider has counted', async () => {
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length < 6
          ? answer({ calls: [{ name: 'read', args: { path: 'big.txt' } }], usage: null })
          : answer({ text: 'done', usage: null }),
      { contextWindow: 12_000 },
    );
    // The system text takes its part of the window.
    writeFileSync(join(instance.folder, 'AGENTS.md'), 'Indent with three spaces. '.repeat(500));
    writeFileSync(join(instance.folder, 'big.txt'), `${'word '.repeat(40)}\n`.repeat(60));
    await instance.run('go');
    expect(instance.events.some((event) => event.type === 'transcript.trimmed')).toBe(true);
    await expectSameCourse(instance);
  });

  it('[DUR-8] tells where it would have taken another course', async () => {
    const instance = await createInstance((request) =>
      resultsOf(request).length === 0 ? answer({ calls: [{ name: 'list', args: {} }] }) : answer({ text: 'done' }),
    );
    const { run_id } = await instance.run('go');
    const read = instance.journal.read.bind(instance.journal);
    instance.journal.read = async (runId, after) =>
      (await read(runId, after)).map((event) =>
        event.type === 'tool.started' ? { ...event, args: '{"a":1}' } : event,
      );
    expect((await instance.runtime.replay(run_id))?.differences).toHaveLength(1);
  });
});
