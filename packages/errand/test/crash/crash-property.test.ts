import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wire } from '../../src/app/wire.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { DEFAULT_LIMITS } from '../../src/domain/run/limits.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createProcesses } from '../../src/host/create-processes.ts';
import { createModels } from '../../src/models/index.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { Runtime } from '../../src/ports/runtime.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.ts';
import {
  ALL_HELPERS,
  askerOf,
  connectionsTo,
  createScript,
  furnish,
  LIMITS,
  nameOf,
  paidCalls,
  ROOT_AUTHORITY,
  TASK,
} from './scenario.ts';

/** Lives of one store, one after the other: each ends at one of its appends, as if its process were gone. */
class Lives {
  readonly journal = createMemoryJournal();
  readonly dead = new Set<string>();
  readonly effects: string[] = [];
  readonly folder = mkdtempSync(join(tmpdir(), 'errand-lives-'));
  readonly server: ScriptedServer;

  constructor(server: ScriptedServer) {
    this.server = server;
    furnish(this.folder);
  }

  /** Drives until the end, or until `appends` have been made; what was under way then never hears of anything again. */
  async live(appends: number, act: (runtime: Runtime) => Promise<unknown>): Promise<'ended' | 'killed'> {
    let left = appends;
    let bootId = '';
    const killed = Promise.withResolvers<'killed'>();
    const gone = () => new Promise<never>(() => {});
    const journal: Journal = new Proxy(this.journal, {
      get: (target, key) => {
        if (left < 0 && key !== 'observe') return gone;
        if (key === 'openBoot') {
          return (boot: Parameters<Journal['openBoot']>[0]) => {
            bootId = boot.boot_id;
            return target.openBoot(boot);
          };
        }
        if (key === 'append') {
          return (entries: Parameters<Journal['append']>[0]) => {
            if (--left >= 0) return target.append(entries);
            this.dead.add(bootId);
            killed.resolve('killed');
            return gone();
          };
        }
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const clock = createSystemClock();
    const runtime = await wire({
      journal,
      models: createModels(connectionsTo(this.server.url), () => null, clock),
      limits: { ...DEFAULT_LIMITS, ...LIMITS },
      clock,
      processes: {
        self: createProcesses().self,
        ownerState: (boot) => (this.dead.has(boot.boot_id) ? 'dead' : 'alive'),
      },
      extraTools: [
        {
          name: 'count_effect',
          risk: 'write',
          family: 'custom',
          description: 'Counts.',
          parameters: { type: 'object' },
          parse: (args) => ({ ok: true, value: args }),
          execute: async (args) => {
            if (left >= 0) this.effects.push(JSON.stringify(args));
            return { status: 'ok', output: 'counted' };
          },
        },
      ],
      rootAuthority: ROOT_AUTHORITY,
      mode: 'run',
    });
    return Promise.race([killed.promise, act(runtime).then(() => 'ended' as const)]);
  }
}

async function goOn(runtime: Runtime): Promise<void> {
  const root = (await runtime.records()).find((record) => record.parent_id === null);
  if (!root || root.state === 'completed') return;
  const resumed = await runtime.resume({ runId: root.run_id });
  if (!resumed.ok) throw new Error(resumed.error.message);
  await resumed.value.result;
}

it('[DUR-1] [DUR-2] [DEL-7] [RUN-2] however often and wherever it dies, it comes to the same end, each ending delivered once and nothing finished done again', {
  timeout: 120_000,
}, async () => {
  const crashes = fc.array(fc.integer({ min: 1, max: 165 }), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(crashes, async (points) => {
      const server = await createScriptedServer(createScript());
      const lives = new Lives(server);
      try {
        const finished = new Set<string>();
        const repeated: string[] = [];
        let seen = 0;
        const begin = async (runtime: Runtime) => {
          if ((await runtime.records()).length > 0) return goOn(runtime);
          const started = await runtime.start({ task: TASK, model: 'mock/m', cwd: lives.folder });
          if (started.ok) await started.value.result;
        };
        for (const point of [...points, Number.MAX_SAFE_INTEGER]) {
          const end = await lives.live(point, begin);
          // What was asked in this life and had been finished before it.
          for (const request of server.requests.slice(seen)) {
            const call = nameOf(askerOf(request));
            if (finished.has(call)) repeated.push(call);
          }
          seen = server.requests.length;
          for (const call of await finishedCalls(lives.journal)) finished.add(call);
          if (end === 'ended') break;
        }
        expect(repeated).toEqual([]);
        expect(new Set(lives.effects).size).toBe(lives.effects.length);
        await expectSameEnd(lives.journal);
      } finally {
        await server.close();
        rmSync(lives.folder, { recursive: true });
      }
    }),
    { numRuns: 40 },
  );
});

async function finishedCalls(journal: Journal): Promise<string[]> {
  const records = await journal.records();
  const calls = records.map(async (record) => paidCalls(record, await journal.read(record.run_id)));
  return (await Promise.all(calls)).flat();
}

async function expectSameEnd(journal: Journal): Promise<void> {
  const records = await journal.records();
  const root = records.find((record) => record.parent_id === null) ?? expect.fail('no root');
  expect(root).toMatchObject({ state: 'completed', partial: false });
  const states = Object.fromEntries(
    records.filter((record) => record !== root).map((record) => [record.title, `${record.state} ${record.reason}`]),
  );
  expect(states).toEqual(
    Object.fromEntries(
      ALL_HELPERS.map(({ title, endless }) => [title, endless ? 'interrupted steps' : 'completed null']),
    ),
  );
  const events: readonly RunEvent[] = await journal.read(root.run_id);
  const taken = events.flatMap((event) => (event.type === 'tool.finished' && event.child ? [event.child.run_id] : []));
  expect(taken).toHaveLength(ALL_HELPERS.length);
  expect(new Set(taken).size).toBe(ALL_HELPERS.length);
}
