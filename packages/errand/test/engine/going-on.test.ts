import { describe, expect, it } from 'vitest';
import type { InterruptReason } from '../../src/domain/run/status.ts';
import { answer, hang, type Reply, type ScriptedRequest, status } from '../../src/testing/index.ts';
import { createInstance, type Instance, resultsOf } from './instance.ts';

interface Interruption {
  readonly reason: InterruptReason;
  /** Bounds of the first life, and raised ones of the second. */
  readonly limits?: { readonly steps?: number; readonly tool_calls?: number; readonly wall_ms?: number };
  readonly raised?: { readonly steps?: number; readonly tool_calls?: number; readonly wall_ms?: number };
  readonly instance?: Parameters<typeof createInstance>[1];
  /** What stands in the way in the first life; null: nothing but the bounds. */
  readonly obstacle?: (request: ScriptedRequest) => Reply;
  /** What has to happen for the first life to end. */
  readonly push?: (instance: Instance) => Promise<void>;
}

const wait = async (instance: Instance, milliseconds: number) => {
  await instance.server.whenRequests(2);
  await instance.clock.advance(milliseconds);
};
const overflow = () => status(400, { error: { message: 'too long', code: 'context_length_exceeded' } });

const INTERRUPTIONS: readonly Interruption[] = [
  { reason: 'steps', limits: { steps: 2 }, raised: { steps: 10 } },
  { reason: 'tool_calls', limits: { tool_calls: 1 }, raised: { tool_calls: 10 } },
  {
    reason: 'wall',
    limits: { wall_ms: 60_000 },
    raised: { wall_ms: 600_000 },
    obstacle: () => hang(),
    push: (instance) => wait(instance, 60_000),
  },
  { reason: 'context', obstacle: overflow },
  { reason: 'provider', obstacle: () => status(503), instance: { limits: { retries: 0 } } },
  {
    reason: 'stalled',
    obstacle: () => hang(),
    instance: { limits: { heartbeat_ms: 30_000 } },
    push: (instance) => wait(instance, 31_000),
  },
];

describe('every interruption can be gone on from', () => {
  it.each(INTERRUPTIONS)(
    '[DUR-4] [RUN-2] $reason: the same run, with everything it had',
    async ({ reason, limits = {}, raised = {}, obstacle, push, instance: options = {} }) => {
      let cleared = false;
      const instance = await createInstance((request) => {
        const done = resultsOf(request).length;
        if (done === 0) return answer({ text: 'the first step', calls: [{ name: 'list', args: {} }] });
        if (!cleared && obstacle) return obstacle(request);
        return done < 3
          ? answer({ text: 'more', calls: [{ name: 'list', args: {} }] })
          : answer({ text: `the end after ${done} results` });
      }, options);
      const handle = await instance.start('go', { limits });
      await push?.(instance);
      const first = await handle.result;
      expect(first).toMatchObject({ state: 'interrupted', reason, partial: true });
      cleared = true;
      const resumed = await instance.runtime.resume({ runId: first.run_id, limits: raised });
      if (!resumed.ok) throw new Error(resumed.error.message);
      const second = await resumed.value.result;
      expect(second).toMatchObject({ run_id: first.run_id, state: 'completed', answer: 'the end after 3 results' });
      // The first step was paid once.
      expect(
        instance.server.requests.filter((request) => resultsOf(request).length === 0 && request.messages.length === 2),
      ).toHaveLength(1);
      expect(await instance.runtime.replay(first.run_id)).toMatchObject({ differences: [] });
    },
  );
});
