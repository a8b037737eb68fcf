import { describe, expect, onTestFinished, test } from 'vitest';
import {
  answer,
  createScriptedModel,
  createScriptedModels,
  createScriptedServer,
  createTestClock,
  replyAfter,
  replyFault,
  replyHang,
  replyWith,
} from '../../src/testing/index.ts';
import { HELLO, request, watch } from './calls.ts';

describe('the test clock', () => {
  test('[SUR-5] fires in order of time, then of creation, at the time they were set for', async () => {
    const clock = createTestClock(1000);
    const fired: string[] = [];
    clock.timer(30, () => fired.push(`c at ${clock.now()}`));
    clock.timer(10, () => fired.push(`a at ${clock.now()}`));
    clock.timer(10, () => fired.push(`b at ${clock.monotonic()}`));
    clock.timer(20, () => fired.push('never')).cancel();
    clock.timer(31, () => fired.push('later'));
    await clock.advance(30);
    expect(fired).toStrictEqual(['a at 1010', 'b at 10', 'c at 1030']);
    expect([clock.pending, clock.next, clock.now()]).toStrictEqual([1, 1, 1030]);
  });

  test('[SUR-5] lets promises run in between, so that what a timer wakes can set the next', async () => {
    const clock = createTestClock();
    const wait = (milliseconds: number) => new Promise<void>((resolve) => clock.timer(milliseconds, resolve));
    let rounds = 0;
    const loop = (async () => {
      for (; rounds < 5; rounds++) await wait(10);
    })();
    await clock.advance(49);
    expect(rounds).toBe(4);
    await clock.advance(1);
    await loop;
    expect(rounds).toBe(5);
  });

  test('[SUR-5] a jump moves wall time and nothing else', async () => {
    const clock = createTestClock(1000);
    let fired = false;
    clock.timer(10, () => {
      fired = true;
    });
    clock.jump(-500);
    await clock.advance(9);
    expect([clock.now(), clock.monotonic(), fired]).toStrictEqual([509, 9, false]);
  });

  test('[SUR-5] tells when timers are pending', async () => {
    const clock = createTestClock();
    const waiting = clock.whenPending(2);
    clock.timer(1, () => {});
    clock.timer(1, () => {});
    await waiting;
    expect(clock.pending).toBe(2);
  });
});

describe('the scripted model', () => {
  test('[SUR-5] plays its replies in order and keeps the requests', async () => {
    const model = createScriptedModel([
      replyWith({ calls: [{ name: 'read', args: { path: 'a' } }] }),
      replyFault({ code: 'overloaded', retryable: true }, { text: 'so far', retryAfterMs: 5 }),
      replyWith({ text: 'end', usage: null }),
    ]);
    const outcomes = [await watch(model).outcome, await watch(model).outcome, await watch(model).outcome];
    expect(outcomes).toMatchObject([
      {
        calls: [{ call_id: 'call_1_0', name: 'read', args: '{"path":"a"}' }],
        finish: 'tool_calls',
        usage: { input: 10, output: 5 },
      },
      { fault: { code: 'overloaded', retryable: true }, retryAfterMs: 5 },
      { text: 'end', finish: 'stop', usage: null },
    ]);
    expect(model.calls.map((call) => call.request.messages)).toStrictEqual([HELLO, HELLO, HELLO]);
    model.assertFinished();
  });

  test('[SUR-5] a script with replies left over is a failure, and so is one that is too short', async () => {
    const long = createScriptedModel([replyWith({ text: 'a' }), replyWith({ text: 'b' })]);
    await watch(long).outcome;
    expect(() => long.assertFinished()).toThrow('2 replies, and 1 calls');
    const short = createScriptedModel([]);
    expect(await watch(short).outcome).toMatchObject({
      fault: { code: 'internal', message: 'The script of scripted/model has no reply for call 1.' },
    });
    expect(() => short.assertFinished()).toThrow('0 replies, and 1 calls');
  });

  test('[SUR-5] hangs and waits until it is aborted or let go', async () => {
    const gate = Promise.withResolvers<void>();
    const model = createScriptedModel((call) =>
      call.n === 1 ? replyHang('some') : replyAfter(gate.promise, replyWith({ text: 'after' })),
    );
    const controller = new AbortController();
    const hanging = watch(model, {}, controller.signal);
    const waiting = watch(model);
    await model.whenCalls(2);
    await hanging.whenText('some');
    expect(model.openCalls()).toBe(2);
    controller.abort();
    gate.resolve();
    expect((await hanging.outcome).kind).toBe('fault');
    expect(await waiting.outcome).toMatchObject({ text: 'after' });
    expect(model.openCalls()).toBe(0);
  });

  test('[SUR-5] scripted models are found by name', async () => {
    const model = createScriptedModel([], 'a/b');
    const models = createScriptedModels(model);
    expect(await models.connect('a/b')).toStrictEqual({ ok: true, value: model });
    expect(await models.connect('a/c')).toStrictEqual({ ok: false, error: 'There is no model "a/c" (known: a/b).' });
  });
});

describe('the scripted server', () => {
  test('[SUR-5] answers without a stream and lists its model', async () => {
    const server = await createScriptedServer([answer({ text: 'whole', calls: [{ name: 'read', args: {} }] })]);
    onTestFinished(() => server.close());
    const response = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ messages: [] }),
    });
    expect(await response.json()).toMatchObject({
      choices: [
        { message: { content: 'whole', tool_calls: [{ function: { name: 'read' } }] }, finish_reason: 'tool_calls' },
      ],
    });
    expect(await (await fetch(`${server.url}/models`)).json()).toMatchObject({ data: [{ id: 'scripted' }] });
    server.assertFinished();
  });

  test('[SUR-5] refuses with words when its script has nothing left or fails', async () => {
    const server = await createScriptedServer([answer({ text: 'one' }), answer({ text: 'two' })]);
    onTestFinished(() => server.close());
    expect(() => server.assertFinished()).toThrow('2 of 2 replies left over');
    const ask = async () =>
      fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(request()) });
    for (const _ of [1, 2]) await (await ask()).text();
    const third = await ask();
    expect(third.status).toBe(400);
    expect(await third.text()).toContain('The script has no reply left for request 3.');
  });
});
