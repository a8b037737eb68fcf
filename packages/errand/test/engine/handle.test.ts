import { describe, expect, it, onTestFinished } from 'vitest';
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

  it('[RUN-6] [DUR-4] a run that was on record before is not withdrawn when its key is refused later', async () => {
    let code = 503;
    const instance = await createInstance(() => status(code, { error: { message: 'no' } }), { limits: { retries: 0 } });
    const first = await instance.run('go');
    expect(first).toMatchObject({ state: 'interrupted', reason: 'provider' });
    code = 401;
    const resumed = await instance.runtime.resume({ runId: first.run_id });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(await resumed.value.result).toMatchObject({ state: 'failed', reason: 'provider_refused' });
    expect(await instance.runtime.records()).toHaveLength(1);
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
});
