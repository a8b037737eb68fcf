import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type WireOptions, wire } from '../../src/app/wire.ts';
import type { RunEvent } from '../../src/domain/run/event.ts';
import { DEFAULT_LIMITS, type InstanceLimits } from '../../src/domain/run/limits.ts';
import type { RunResult } from '../../src/domain/run/result.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { createModels } from '../../src/models/index.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { RunHandle, Runtime, StartRequest } from '../../src/ports/runtime.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import {
  answer,
  createScriptedServer,
  createTestClock,
  type Reply,
  type ScriptedRequest,
  type ScriptedServer,
  type TestClock,
} from '../../src/testing/index.ts';

export interface InstanceOptions {
  readonly limits?: Partial<InstanceLimits>;
  readonly journal?: Journal;
  readonly contextWindow?: number;
  /** The system's clock instead of one moved by hand: for what waits on real sockets and short pauses alike. */
  readonly realTime?: boolean;
  readonly extraTools?: WireOptions['extraTools'];
  readonly processes?: WireOptions['processes'];
  /** What every draw of chance gives; default 0.5. Instances on one store need different ones, or their ids are the same. */
  readonly chance?: number;
}

export interface Instance {
  readonly server: ScriptedServer;
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly clock: TestClock;
  readonly folder: string;
  readonly events: RunEvent[];
  start(task: string, more?: Partial<StartRequest>): Promise<RunHandle>;
  run(task: string, more?: Partial<StartRequest>): Promise<RunResult>;
  /** Goes on with a run until it is at rest; rejects where that is refused. */
  goOn(runId: string): Promise<RunResult>;
}

/** A whole instance over a scripted model server on loopback, a clock moved by hand and a real folder; cleaned up after the test. */
export async function createInstance(
  script: (request: ScriptedRequest) => Reply | Promise<Reply>,
  options: InstanceOptions = {},
): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-engine-'));
  writeFileSync(join(folder, 'notes.txt'), 'first line\nsecond line\n');
  const server = await createScriptedServer(script);
  const clock = createTestClock();
  const journal = options.journal ?? createMemoryJournal();
  const connection = {
    name: 'mock',
    kind: 'openai-compatible',
    baseUrl: server.url,
    apiKey: 'sk-FAKE-key-of-the-test',
    headers: {},
    callTimeoutMs: 600_000,
    ...(options.contextWindow ? { contextWindow: options.contextWindow } : {}),
  } as const;
  const other = { ...connection, name: 'other', apiKey: 'sk-FAKE-other' };
  const runtime = await wire({
    journal,
    models: createModels([connection, other], () => null, clock),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    clock: options.realTime ? createSystemClock() : clock,
    random: options.realTime ? Math.random : () => options.chance ?? 0.5,
    extraTools: options.extraTools ?? [],
    ...(options.processes ? { processes: options.processes } : {}),
    mode: 'run',
  });
  const events: RunEvent[] = [];
  runtime.observe((batch) => events.push(...batch));
  onTestFinished(async () => {
    await server.close();
    await runtime.close();
    rmSync(folder, { recursive: true });
  });
  const start = async (task: string, more: Partial<StartRequest> = {}) => {
    const started = await runtime.start({ task, model: 'mock/m', cwd: folder, ...more });
    if (!started.ok) throw new Error(started.error.message);
    return started.value;
  };
  return {
    server,
    runtime,
    journal,
    clock,
    folder,
    events,
    start,
    run: async (task, more) => (await start(task, more)).result,
    goOn: async (runId) => {
      const resumed = await runtime.resume({ runId });
      if (!resumed.ok) throw new Error(resumed.error.message);
      return resumed.value.result;
    },
  };
}

/** The text of the first user message. */
export function openingOf(request: ScriptedRequest): string {
  return String(request.messages.find((message) => message['role'] === 'user')?.['content'] ?? '');
}

/** The texts of the tool results so far. */
export function resultsOf(request: ScriptedRequest): string[] {
  return request.messages.filter((message) => message['role'] === 'tool').map((message) => String(message['content']));
}

export const REPORT =
  '### SUMMARY\nfound it\n### EVIDENCE\n- notes.txt:1 `first line`\n### CHANGES\nNone.\n### RISKS\nNone.\n### BLOCKERS\nNone.';

/** A script: the root (its task begins with `ROOT`) delegates these briefs in one step and then answers; helpers are answered by `helper`. */
export function delegating(
  briefs: readonly object[],
  helper: (request: ScriptedRequest, opening: string) => Reply | Promise<Reply>,
): (request: ScriptedRequest) => Reply | Promise<Reply> {
  return (request) => {
    const opening = openingOf(request);
    if (!opening.startsWith('ROOT')) return helper(request, opening);
    if (resultsOf(request).length === 0)
      return answer({ calls: briefs.map((args) => ({ name: 'agent', args: args as Record<string, string> })) });
    return answer({ text: 'the merged answer' });
  };
}
