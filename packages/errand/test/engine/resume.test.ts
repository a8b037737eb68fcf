import { describe, expect, it } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { answer, type ScriptedRequest, status } from '../../src/testing/index.ts';
import { createInstance, delegating, openingOf, REPORT, resultsOf } from './instance.ts';

const textsOf = (request: ScriptedRequest) => request.messages.map((message) => String(message['content'] ?? ''));

describe('going on', () => {
  it('[DUR-4] a run that ended at its step limit goes on as the same run, with everything it had, once the limit is raised', async () => {
    const instance = await createInstance((request) =>
      resultsOf(request).length < 3
        ? answer({ text: 'looking', calls: [{ name: 'list', args: {} }] })
        : answer({ text: 'all of it' }),
    );
    const first = await instance.run('go', { limits: { steps: 2 } });
    expect(first).toMatchObject({ state: 'interrupted', reason: 'steps', partial: true });
    const resumed = await instance.runtime.resume({ runId: first.run_id, limits: { steps: 9 } });
    if (!resumed.ok) throw new Error(resumed.error.message);
    const second = await resumed.value.result;
    expect(second).toMatchObject({ run_id: first.run_id, state: 'completed', answer: 'all of it', partial: false });
    const events = await instance.runtime.events(first.run_id);
    expect(events.filter((event) => event.type === 'run.settled').map((event) => event.ending)).toEqual([1, 2]);
    expect(events.filter((event) => event.type === 'run.created')).toHaveLength(1);
    // The same transcript, byte for byte, and what follows.
    const [before, after] = [instance.server.requests[1], instance.server.requests[2]];
    expect(textsOf(after ?? expect.fail('no request')).slice(0, 3)).toEqual(
      textsOf(before ?? expect.fail('no request')).slice(0, 3),
    );
  });

  it('[DUR-4] [MOD-6] a run whose provider failed goes on when it is back', async () => {
    let down = true;
    const instance = await createInstance(() => (down ? status(503) : answer({ text: 'back' })), {
      limits: { retries: 0 },
    });
    const first = await instance.run('go');
    expect(first).toMatchObject({ state: 'interrupted', reason: 'provider' });
    down = false;
    const resumed = await instance.runtime.resume({ runId: first.run_id });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(await resumed.value.result).toMatchObject({ run_id: first.run_id, state: 'completed', answer: 'back' });
  });

  it('[DUR-4] a run that is over is continued by one new run, linked to it, that begins with its transcript; asked twice, the same one', async () => {
    const instance = await createInstance((request) =>
      answer({ text: `answer to ${request.messages.length - 1} messages` }),
    );
    const first = await instance.run('the task');
    const again = async () => {
      const resumed = await instance.runtime.resume({ runId: first.run_id, message: 'and now the rest' });
      if (!resumed.ok) throw new Error(resumed.error.message);
      return resumed.value.result;
    };
    const second = await again();
    expect(second).toMatchObject({ state: 'completed', answer: 'answer to 3 messages', session_id: first.session_id });
    expect(second.run_id).not.toBe(first.run_id);
    expect(textsOf(instance.server.requests[1] ?? expect.fail('no request')).slice(1)).toEqual([
      'the task',
      'answer to 1 messages',
      'and now the rest',
    ]);
    expect(await again()).toEqual(second);
    expect(instance.server.requests).toHaveLength(2);
    expect((await instance.runtime.result(first.run_id))?.answer).toBe('answer to 1 messages');
  });

  it('[RUN-4] [DUR-4] what the run before it wrote is not its own partial answer', async () => {
    let down = false;
    const instance = await createInstance(() => (down ? status(503) : answer({ text: 'the first answer' })), {
      limits: { retries: 0 },
    });
    const { run_id } = await instance.run('go');
    down = true;
    const result = await instance.goOn(run_id);
    expect(result).toMatchObject({ state: 'interrupted', reason: 'provider', answer: '', partial: false });
  });

  it('[DUR-4] a helper that was interrupted can be gone on with by its id', async () => {
    let stubborn = true;
    const instance = await createInstance(
      delegating([{ task: 'look' }], (request) =>
        stubborn || resultsOf(request).length < 2
          ? answer({ text: 'looking', calls: [{ name: 'list', args: {} }] })
          : answer({ text: REPORT }),
      ),
      { limits: { helper_steps: 2 } },
    );
    const result = await instance.run('ROOT');
    const helper = result.helpers[0]?.run_id ?? '';
    expect(result.helpers).toMatchObject([{ state: 'interrupted', reason: 'steps' }]);
    stubborn = false;
    const resumed = await instance.runtime.resume({ runId: helper, limits: { steps: 5 } });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(await resumed.value.result).toMatchObject({ run_id: helper, state: 'completed', answer: REPORT });
  });

  it('[DUR-4] [DEL-1] [DEL-11] a parent continues its own earlier helper, once; another run looks like none at all', async () => {
    let first = '';
    const instance = await createInstance((request) => {
      const opening = openingOf(request);
      const results = resultsOf(request);
      if (!opening.startsWith('ROOT')) {
        return answer({
          text: `${REPORT}\nafter ${request.messages.filter((message) => message['role'] === 'user').length} turns`,
        });
      }
      first ||= /run="(run_\w+)"/u.exec(results[0] ?? '')?.[1] ?? '';
      if (results.length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'look', role: 'scout' } }] });
      if (results.length === 1) {
        const more = { task: 'look closer', resume_from: first };
        return answer({
          calls: [
            { name: 'agent', args: more },
            { name: 'agent', args: { task: 'x', resume_from: 'run_of_another' } },
          ],
        });
      }
      if (results.length === 3)
        return answer({ calls: [{ name: 'agent', args: { task: 'look closer', resume_from: first } }] });
      return answer({ text: 'merged' });
    });
    const result = await instance.run('ROOT');
    expect(result.helpers).toMatchObject([
      { role: 'scout', state: 'completed' },
      { role: 'scout', state: 'completed', title: 'look closer' },
    ]);
    const [, again, foreign, twice] = resultsOf(instance.server.requests.at(-1) ?? expect.fail('no request'));
    expect(again).toContain('after 2 turns');
    expect(foreign).toContain('there is no helper run_of_another of yours');
    expect(twice).toBe(again);
    const other = await instance.run('go');
    expect(other.helpers).toEqual([]);
  });

  it('[DUR-4] [DUR-5] a helper that was continued from outside, or can no longer be read, is not continued once more', async () => {
    const asked: string[] = [];
    let first = '';
    const instance = await createInstance(async (request) => {
      const results = resultsOf(request);
      if (!openingOf(request).startsWith('ROOT')) return answer({ text: REPORT });
      if (results.length === 0) return answer({ calls: [{ name: 'agent', args: { task: 'look' } }] });
      first ||= /run="(run_\w+)"/u.exec(results[0] ?? '')?.[1] ?? '';
      asked.push(...results.slice(1 + asked.length));
      if (asked.length === 0) {
        const outside = await instance.runtime.resume({ runId: first });
        await (outside.ok ? outside.value.result : expect.fail(outside.error.message));
      } else if (asked.length < 3) {
        const code = asked.length === 1 ? 'swept' : 'corrupt';
        const read = instance.journal.read.bind(instance.journal);
        instance.journal.read = async (runId, after) => {
          if (runId === first) throw new CodedError(code, 'gone');
          return read(runId, after);
        };
      } else {
        return answer({ text: 'done' });
      }
      return answer({ calls: [{ name: 'agent', args: { task: 'look again', resume_from: first } }] });
    });
    const result = await instance.run('ROOT');
    expect(result).toMatchObject({ state: 'completed', answer: 'done' });
    expect(asked).toEqual([
      expect.stringMatching(/was continued already, by run_\w+, outside of this turn/u),
      expect.stringMatching(/the conversation of run_\w+ is no longer kept/u),
      expect.stringMatching(/the conversation of run_\w+ is damaged on disk/u),
    ]);
    expect(result.helpers).toHaveLength(1);
  });

  it('[DUR-4] [DUR-5] asked for by the id of a run that has been deleted, its successor goes on', async () => {
    const instance = await createInstance(() => answer({ text: 'x' }));
    const { run_id } = await instance.run('go');
    const goOn = async () => {
      const resumed = await instance.runtime.resume({ runId: run_id });
      return resumed.ok ? resumed.value.result : expect.fail(resumed.error.message);
    };
    const next = await goOn();
    expect(await instance.journal.retain({ now: 1e15, age: 1e15, hiddenAge: 1e15, keep: 1 })).toMatchObject({
      runs: 1,
    });
    expect((await instance.runtime.records()).map((record) => record.run_id)).toEqual([next.run_id]);
    expect(await goOn()).toEqual(next);
  });

  it('[RUN-7] what cannot be gone on with is refused in one sentence', async () => {
    const instance = await createInstance(() => answer({ text: 'x' }));
    expect(await instance.runtime.resume({ runId: 'run_nowhere' })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });
});

describe('a record', () => {
  it('[DUR-8] [MOD-10] is replayed without a network, taking the same course', async () => {
    const instance = await createInstance(
      delegating([{ task: 'one' }, { task: 'two', role: 'wizard' }], (request) => {
        const count = resultsOf(request).length;
        if (count === 0)
          return answer({
            text: 'a',
            calls: [
              { name: 'list', args: {} },
              { name: 'nonsense', args: {} },
              { name: 'read', args: '{broken' },
            ],
          });
        if (count === 3)
          return answer({ calls: [{ name: 'todo_write', args: { items: [{ text: 'x', status: 'pending' }] } }] });
        return answer({ text: REPORT });
      }),
    );
    const result = await instance.run('ROOT');
    const requests = instance.server.requests.length;
    for (const id of [result.run_id, ...result.helpers.map((helper) => helper.run_id)]) {
      expect(await instance.runtime.replay(id)).toMatchObject({ run_id: id, differences: [] });
    }
    expect(instance.server.requests).toHaveLength(requests);
  });

  it('[DUR-8] is replayed over every rest: a limit, a resume, a provider that failed', async () => {
    let down = 2;
    const instance = await createInstance(
      (request) => {
        if (resultsOf(request).length === 1 && down-- > 0) return status(503);
        return resultsOf(request).length < 4
          ? answer({ text: 'looking', calls: [{ name: 'list', args: {} }] })
          : answer({ text: 'done' });
      },
      { limits: { retries: 0 } },
    );
    const first = await instance.run('go', { limits: { steps: 4 } });
    const reasons = [first.reason];
    for (const steps of [4, 4, 9]) {
      const resumed = await instance.runtime.resume({ runId: first.run_id, limits: { steps } });
      if (!resumed.ok) throw new Error(resumed.error.message);
      reasons.push((await resumed.value.result).reason);
    }
    expect(reasons).toEqual(['provider', 'provider', 'steps', null]);
    expect(await instance.runtime.replay(first.run_id)).toMatchObject({ differences: [] });
  });

  it('[DUR-8] a record that was tampered with is found out', async () => {
    const instance = await createInstance(() => answer({ text: 'the answer' }));
    const result = await instance.run('go');
    const read = instance.journal.read.bind(instance.journal);
    instance.journal.read = async (runId, after) =>
      (await read(runId, after)).map((event) =>
        event.type === 'run.settled' ? { ...event, answer: 'another answer' } : event,
      );
    const report = await instance.runtime.replay(result.run_id);
    expect(report?.differences).toMatchObject([
      { recorded: expect.stringContaining('another answer'), replayed: expect.stringContaining('the answer') },
    ]);
  });

  it('[DUR-8] can be forked at a step, with another model', async () => {
    const instance = await createInstance((request) =>
      resultsOf(request).length < 2
        ? answer({ calls: [{ name: 'list', args: {} }] })
        : answer({ text: `by ${String(request.body['model'])}` }),
    );
    const first = await instance.run('go');
    const forked = await instance.runtime.fork({ runId: first.run_id, step: 1, model: 'other/m2' });
    if (!forked.ok) throw new Error(forked.error.message);
    expect(await forked.value.result).toMatchObject({ state: 'completed', answer: 'by m2' });
    const [, second, , fork] = instance.server.requests;
    expect(fork?.messages).toEqual(second?.messages);
    for (const step of [3, 7]) {
      expect(await instance.runtime.fork({ runId: first.run_id, step })).toMatchObject({
        ok: false,
        error: { message: expect.stringMatching(/has 3 steps, .*: keep 0 to 2 of them\.$/u) },
      });
    }
    expect(openingOf(fork ?? expect.fail('no request'))).toBe('go');
  });
});
