import { describe, expect, it } from 'vitest';
import type { Tool } from '../../src/ports/tool.ts';
import { answer } from '../../src/testing/index.ts';
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
