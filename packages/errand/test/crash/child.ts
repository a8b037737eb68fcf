// One process of the crash matrix. argv: a JSON ChildOrder. Starts the scenario or goes on with it; may end itself with SIGKILL on the way.
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { wire } from '../../src/app/wire.ts';
import { DEFAULT_LIMITS } from '../../src/domain/run/limits.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createModels } from '../../src/models/index.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { RunHandle } from '../../src/ports/runtime.ts';
import type { Tool } from '../../src/ports/tool.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { connectionsTo, LIMITS, ROOT_AUTHORITY, TASK } from './scenario.ts';

export interface ChildOrder {
  readonly store: string;
  readonly work: string;
  readonly url: string;
  readonly effects: string;
  readonly act: 'start' | 'resume';
  /** Kill at this append (1 is the first): before it is handed over, or when it is durable. */
  readonly killAt?: number;
  readonly when?: 'before' | 'after';
}

const order = JSON.parse(process.argv[2] ?? '{}') as ChildOrder;
const clock = createSystemClock();
const die = () => process.kill(process.pid, 'SIGKILL');
// The first line: from here on it may be killed from outside.
process.stdout.write('begins\n');

let appends = 0;
const store = openSqliteJournal({ folder: order.store, clock });
const journal: Journal = new Proxy(store, {
  get(target, key) {
    if (key === 'append') {
      return (...args: Parameters<Journal['append']>) => {
        const mine = ++appends === order.killAt;
        if (mine && order.when === 'before') die();
        const appended = target.append(...args);
        if (mine) void appended.then(die);
        return appended;
      };
    }
    const value = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

const effect: Tool = {
  name: 'count_effect',
  risk: 'write',
  family: 'custom',
  description: 'Has an effect that can be counted.',
  parameters: { type: 'object', properties: { label: { type: 'string' } } },
  parse: (args) => ({ ok: true, value: args }),
  execute: async (args) => {
    appendFileSync(order.effects, `${JSON.stringify(args)}\n`);
    return { status: 'ok', output: 'counted' };
  },
};

const runtime = await wire({
  journal,
  models: createModels(connectionsTo(order.url), () => null, clock),
  limits: { ...DEFAULT_LIMITS, ...LIMITS },
  clock,
  extraTools: [effect],
  rootAuthority: ROOT_AUTHORITY,
  mode: 'run',
});

async function begin(): Promise<RunHandle | null> {
  if (order.act === 'start') {
    const started = await runtime.start({ task: TASK, model: 'mock/m', cwd: order.work });
    if (!started.ok) throw new Error(started.error.message);
    return started.value;
  }
  const root = (await runtime.records()).find((record) => record.parent_id === null);
  if (!root) return null;
  if (root.state === 'completed') return null;
  const resumed = await runtime.resume({ runId: root.run_id });
  if (!resumed.ok) throw new Error(resumed.error.message);
  return resumed.value;
}

const handle = await begin();
const result = handle ? await handle.result : null;
// Whatever happened, the record of it takes the same course again.
const differences = [];
for (const record of await runtime.records())
  differences.push(...((await runtime.replay(record.run_id))?.differences ?? []));
await runtime.close();
process.stdout.write(`${JSON.stringify({ appends, state: result?.state ?? null, differences })}\n`);
