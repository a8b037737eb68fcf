import { describe, expect, test } from 'vitest';
import {
  answer,
  createTestClock,
  cutAfter,
  hang,
  type Reply,
  resetAfter,
  stallAfter,
  status,
} from '../../src/testing/index.ts';
import { answerOf, serve, watch } from './calls.ts';

describe('an abort', () => {
  test('[MOD-9] in the middle of a stream closes the socket, and the partial text has been told', async () => {
    const clock = createTestClock();
    const { server, model } = await serve([stallAfter('what was written')], { clock });
    const controller = new AbortController();
    const { outcome, seen, whenText } = watch(model, {}, controller.signal);
    await whenText('what was written');
    controller.abort();
    expect(await outcome).toMatchObject({ kind: 'fault', fault: { code: 'stopped', retryable: false }, usage: null });
    await server.until(() => server.openConnections() === 0);
    expect(server.openStreams()).toBe(0);
    expect(server.requests[0]?.signal.aborted).toBe(true);
    expect(seen.text).toBe('what was written');
    expect(clock.pending).toBe(0);
  });

  test('[MOD-9] before the answer closes the socket', async () => {
    const { server, model } = await serve([hang()]);
    const controller = new AbortController();
    const { outcome } = watch(model, {}, controller.signal);
    await server.whenRequests(1);
    controller.abort();
    expect((await outcome).kind).toBe('fault');
    await server.until(() => server.openConnections() === 0);
  });

  test('[MOD-9] within the body of an error closes the socket', async () => {
    const stuck: Reply = () => ({ status: 500, steps: [{ send: '{"error":' }, { stall: true }] });
    const { server, model } = await serve([stuck]);
    const controller = new AbortController();
    const { outcome } = watch(model, {}, controller.signal);
    await server.whenRequests(1);
    controller.abort();
    expect((await outcome).kind).toBe('fault');
    await server.until(() => server.openConnections() === 0);
  });

  test('[MOD-9] before the call sends nothing', async () => {
    const { server, model } = await serve([]);
    expect((await watch(model, {}, AbortSignal.abort()).outcome).kind).toBe('fault');
    expect(server.requests).toHaveLength(0);
  });

  test('[MOD-9] after the call changes nothing, and the connection serves the next', async () => {
    const { server, model } = await serve([answer({ text: 'one' }), answer({ text: 'two' })]);
    const controller = new AbortController();
    expect(await watch(model, {}, controller.signal).outcome).toMatchObject({ text: 'one' });
    controller.abort();
    expect(await answerOf(model)).toMatchObject({ text: 'two' });
    expect(server.connections).toBe(1);
  });

  test('[MOD-9] of one call leaves its neighbours alone', async () => {
    const { server, model } = await serve((request) => server.hold('all', answer({ text: `answer ${request.n}` })));
    const controllers = [1, 2, 3].map(() => new AbortController());
    const outcomes = [];
    for (const [index, controller] of controllers.entries()) {
      outcomes.push(watch(model, {}, controller.signal).outcome);
      await server.whenRequests(index + 1);
    }
    controllers[1]?.abort();
    await server.until(() => server.openStreams() === 2);
    server.release('all');
    expect(await Promise.all(outcomes)).toMatchObject([{ text: 'answer 1' }, { kind: 'fault' }, { text: 'answer 3' }]);
  });
});

describe('connections', () => {
  test('[MOD-6] are used again after answers and after errors', async () => {
    const { server, model } = await serve([answer({ text: 'a' }), status(500), status(429), answer({ text: 'b' })]);
    for (const _ of [1, 2, 3, 4]) await watch(model).outcome;
    expect(server.requests).toHaveLength(4);
    expect(server.connections).toBe(1);
  });

  test('[MOD-6] one that its server has just closed is replaced once, unseen', async () => {
    const { server, model } = await serve([answer({ text: 'a' }), cutAfter(''), answer({ text: 'b' })]);
    await answerOf(model);
    expect(await answerOf(model)).toMatchObject({ text: 'b' });
    expect(server.connections).toBe(2);
    expect(server.requests[1]?.text).toBe(server.requests[2]?.text);
  });

  test('[MOD-6] a fresh one that breaks is a fault, not a second try', async () => {
    const { server, model } = await serve([cutAfter(''), answer({ text: 'the next call' })]);
    expect(await watch(model).outcome).toMatchObject({ fault: { code: 'unreachable' } });
    expect(await answerOf(model)).toMatchObject({ text: 'the next call' });
    expect(server.requests).toHaveLength(2);
  });

  test('[MOD-6] one that breaks within the answer is a fault, not a second try', async () => {
    const { server, model } = await serve([answer({ text: 'a' }), cutAfter('some'), answer({ text: 'the next call' })]);
    await answerOf(model);
    expect(await watch(model).outcome).toMatchObject({ fault: { code: 'cut' } });
    expect(await answerOf(model)).toMatchObject({ text: 'the next call' });
    expect(server.requests).toHaveLength(3);
  });

  test('[MOD-6] a reset within the answer is a fault, not a second try', async () => {
    const held: Reply = (request) => {
      const { steps, ...head } = resetAfter('some')(request);
      const waiting = server.hold('reset', () => ({ steps: steps.slice(-1) }))(request);
      return { ...head, steps: [...steps.slice(0, -1), ...waiting.steps] };
    };
    const { server, model } = await serve([answer({ text: 'a' }), held, answer({ text: 'the next call' })]);
    await answerOf(model);
    const { outcome, whenText } = watch(model);
    await whenText('some');
    server.release('reset');
    expect(await outcome).toMatchObject({ fault: { code: 'cut' } });
    expect(await answerOf(model)).toMatchObject({ text: 'the next call' });
    expect(server.requests).toHaveLength(3);
  });

  test('[MOD-9] as many as there are calls at once', async () => {
    const { server, model } = await serve((request) => server.hold('all', answer({ text: String(request.n) })));
    const outcomes = Array.from({ length: 200 }, () => watch(model).outcome);
    await server.whenHeld('all', 200);
    server.release('all');
    const texts = (await Promise.all(outcomes)).map((outcome) => (outcome.kind === 'answer' ? outcome.text : 'fault'));
    expect(new Set(texts).size).toBe(200);
  });
});
