import { describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { answer, status } from '../../src/testing/index.ts';
import { createInstance, openingOf, REPORT, resultsOf } from './instance.ts';

describe('the handle of a run', () => {
  it('[SUR-5] a result that nobody waits for does not bring the process down when it is a refusal', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const instance = await createInstance(() => status(401, { error: { message: 'no such key' } }));
    await instance.start('go');
    await instance.server.whenRequests(1);
    while ((await instance.runtime.records()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it('[RUN-6] [DUR-4] a run that goes on with a key that is refused is at rest again, and goes on with a good one', async () => {
    let code: number | null = 503;
    const instance = await createInstance(
      () => (code === null ? answer({ text: 'at last' }) : status(code, { error: { message: 'no' } })),
      { limits: { retries: 0 } },
    );
    const goOn = async (runId: string) => {
      const resumed = await instance.runtime.resume({ runId });
      return resumed.ok ? resumed.value.result : expect.fail(resumed.error.message);
    };
    const { run_id } = await instance.run('go');
    for (code of [401, 403, 404])
      expect(await goOn(run_id)).toMatchObject({ run_id, state: 'interrupted', reason: 'provider' });
    code = null;
    expect(await goOn(run_id)).toMatchObject({ run_id, state: 'completed', answer: 'at last' });
    expect(await instance.runtime.records()).toHaveLength(1);
  });

  it('[RUN-2] [DUR-4] once it has gone on for a step, a refused key is an ending like any other', async () => {
    const answers = [
      status(503),
      answer({ calls: [{ name: 'list', args: {} }] }),
      status(401, { error: { message: 'no' } }),
    ];
    const instance = await createInstance(() => answers.shift() ?? answer({ text: 'too far' }), {
      limits: { retries: 0 },
    });
    const { run_id } = await instance.run('go');
    const resumed = await instance.runtime.resume({ runId: run_id });
    expect(await (resumed.ok ? resumed.value.result : null)).toMatchObject({
      state: 'failed',
      reason: 'provider_refused',
    });
  });

  it('[SUR-5] lets a view hear the text as it streams; one that breaks does not break the run', async () => {
    const instance = await createInstance(() => answer({ text: 'word by word' }));
    const heard: string[] = [];
    const whole = await instance.start('go');
    const stop = whole.observeText(() => heard.push('not any more'));
    whole.observeText((runId, delta) => heard.push(`${runId === whole.run_id} ${delta}`));
    stop();
    await whole.result;
    expect(heard.map((text) => text.replace('true ', '')).join('')).toBe('word by word');
    const broken = await instance.start('go');
    broken.observeText(() => {
      throw new Error('the view broke');
    });
    expect(await broken.result).toMatchObject({ state: 'completed', answer: 'word by word' });
  });

  it('[RUN-7] [LIM-1] a launch that fails for a moment spends no helper, and spoils none that follows', async () => {
    let ill = false;
    const instance = await createInstance(
      (request) => {
        if (!openingOf(request).startsWith('ROOT')) return answer({ text: REPORT });
        ill = resultsOf(request).length === 0;
        return resultsOf(request).length < 2
          ? answer({ calls: [{ name: 'agent', args: { task: 'look' } }] })
          : answer({ text: resultsOf(request).join('|') });
      },
      { limits: { max_per_turn: 1 } },
    );
    const putBlob = instance.journal.putBlob.bind(instance.journal);
    instance.journal.putBlob = (text) => {
      if (ill) throw new Error('not now');
      return putBlob(text);
    };
    const result = await instance.run('ROOT');
    expect(result.answer).toMatch(/^Error: agent failed: not now\|<helper_answer/u);
    expect(result.helpers).toMatchObject([{ state: 'completed' }]);
  });

  it('[SUR-5] [DUR-7] what is just being started when the instance is closed does not begin, and leaves nothing behind', async () => {
    const instance = await createInstance(() => answer({ text: 'too late' }));
    const recorded: unknown[] = [];
    const append = instance.journal.append.bind(instance.journal);
    instance.journal.append = (entries) => {
      recorded.push(...entries);
      return append(entries);
    };
    const starting = instance.start('go');
    await Promise.all([instance.runtime.close(), expect(starting).rejects.toMatchObject({ code: 'closed' })]);
    expect(recorded).toEqual([]);
    expect(instance.server.requests).toEqual([]);
  });

  it('[SUR-5] [DUR-7] what is just being gone on with when the instance is closed stays as it was', async () => {
    let down = true;
    const journal = createMemoryJournal();
    const close = journal.close.bind(journal);
    journal.close = async () => {};
    const instance = await createInstance(() => (down ? status(503) : answer({ text: 'too late' })), {
      limits: { retries: 0 },
      journal,
    });
    const { run_id } = await instance.run('go');
    down = false;
    const before = await journal.read(run_id);
    const resuming = instance.runtime.resume({ runId: run_id });
    await Promise.all([instance.runtime.close(), expect(resuming).rejects.toMatchObject({ code: 'closed' })]);
    expect(await journal.read(run_id)).toEqual(before);
    expect(instance.server.requests).toHaveLength(1);
    await close();
  });

  it('[DUR-1] [RUN-6] a first call that is refused leaves nothing, and no ending even where its process dies before that', async () => {
    const journal = createMemoryJournal();
    const discard = journal.discard.bind(journal);
    const gone = Promise.withResolvers<void>();
    let dies = false;
    journal.discard = (rootId, epoch) => (dies ? gone.promise : discard(rootId, epoch));
    const instance = await createInstance(() => status(401, { error: { message: 'no such key' } }), { journal });
    await expect(instance.run('go')).rejects.toMatchObject({ code: 'refused_key' });
    expect(await journal.records()).toEqual([]);
    dies = true;
    const handle = await instance.start('go');
    while (!(await journal.read(handle.run_id)).some((event) => event.type === 'model.failed'))
      await new Promise((resolve) => setImmediate(resolve));
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(await journal.record(handle.run_id)).toMatchObject({ state: 'running', endings: 0 });
    gone.resolve();
    await expect(handle.result).rejects.toMatchObject({ code: 'refused_key' });
  });
});
