import { describe, expect, it, onTestFinished } from 'vitest';
import { wire } from '../../src/app/wire.ts';
import { DEFAULT_LIMITS, type InstanceLimits } from '../../src/domain/run/limits.ts';
import type { Model, ModelObserver } from '../../src/ports/model.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { answer, createTestClock } from '../../src/testing/index.ts';
import { createInstance, openingOf, REPORT, resultsOf } from './instance.ts';

const tool = (more: Partial<Tool>): Tool => ({
  name: 'own',
  risk: 'read',
  family: 'custom',
  description: 'Is broken.',
  parameters: { type: 'object' },
  parse: (value) => ({ ok: true, value }),
  execute: async () => ({ status: 'ok', output: 'fine' }),
  ...more,
});

/** The root calls for a helper and the tool in one step; the helper answers when it is let go. */
async function beside(broken: Tool) {
  const instance = await createInstance(
    (request) => {
      if (!openingOf(request).startsWith('ROOT')) return instance.server.hold('gate', answer({ text: REPORT }));
      return resultsOf(request).length === 0
        ? answer({
            calls: [
              { name: 'agent', args: { task: 'look' } },
              { name: 'own', args: {} },
            ],
          })
        : answer({ text: resultsOf(request).join('|') });
    },
    { extraTools: [broken] },
  );
  return instance;
}

/** An instance of this one model. */
async function startWith(model: Model, limits: Partial<InstanceLimits> = {}) {
  const clock = createTestClock();
  const runtime = await wire({
    journal: createMemoryJournal(),
    models: { connect: async () => ({ ok: true, value: model }) },
    limits: { ...DEFAULT_LIMITS, ...limits },
    clock,
    mode: 'run',
  });
  onTestFinished(() => runtime.close());
  const started = await runtime.start({ task: 'go', model: model.name, cwd: '/' });
  if (!started.ok) throw new Error(started.error.message);
  return { handle: started.value, clock };
}

describe('a model of a program that is broken', () => {
  it('[MOD-6] one that never comes to an end, however alive it is, is given up at the call time-out', async () => {
    const asked = Promise.withResolvers<ModelObserver>();
    const model: Model = {
      name: 'own/m',
      call: (_request, observer, signal) => {
        asked.resolve(observer);
        return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
      },
    };
    const { handle, clock } = await startWith(model, { call_timeout_ms: 300_000, retries: 0 });
    const observer = await asked.promise;
    for (let minute = 0; minute < 5; minute++) {
      await clock.advance(60_000);
      observer.alive();
    }
    expect(await handle.result).toMatchObject({
      state: 'interrupted',
      reason: 'provider',
      message: expect.stringContaining('own/m did not finish the call within 300 s'),
    });
  });

  it('[MOD-9] [RUN-1] one that gives two calls the same id ends the run in words, and not in an endless loop', async () => {
    let asked = 0;
    const call = { call_id: 'same', name: 'list', args: '{}' };
    const model: Model = {
      name: 'own/m',
      call: async () => {
        if (++asked > 3) throw new Error('asked without end');
        return { kind: 'answer', text: '', calls: [call, call], finish: 'tool_calls', usage: null, modelUsed: null };
      },
    };
    const { handle } = await startWith(model);
    expect(await handle.result).toMatchObject({
      state: 'failed',
      reason: 'internal',
      message: expect.stringContaining('two calls of one answer have the same id'),
    });
  });
});

describe('a tool of a program that is broken', () => {
  it('[RUN-1] [MOD-9] one that throws at its arguments fails that call, and the run goes on', async () => {
    const instance = await beside(
      tool({
        parse: () => {
          throw new Error('no such shape');
        },
      }),
    );
    const handle = await instance.start('ROOT');
    await instance.server.whenHeld('gate');
    instance.server.release('gate');
    const result = await handle.result;
    expect(result).toMatchObject({ state: 'completed', helpers: [{ state: 'completed' }] });
    expect(result.answer).toMatch(/own failed: no such shape$/u);
  });

  it('[RUN-4] [LIM-6] one that returns what is no outcome ends the run in words, and leaves no helper behind', async () => {
    const late = Promise.withResolvers<never>();
    const instance = await beside(tool({ execute: () => late.promise }));
    const handle = await instance.start('ROOT');
    await instance.server.whenHeld('gate');
    late.resolve(undefined as never);
    const result = await handle.result;
    expect(result).toMatchObject({
      state: 'failed',
      reason: 'internal',
      message: expect.stringMatching(/^Something inside Errand broke\. .*undefined/u),
      helpers: [{ state: 'cancelled', reason: 'parent' }],
    });
    await instance.server.whenIdle();
    expect(await instance.runtime.records({ live: true })).toEqual([]);
    expect(instance.clock.pending).toBe(0);
  });
});
