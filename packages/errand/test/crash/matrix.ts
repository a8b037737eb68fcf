import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { afterAll, expect } from 'vitest';
import type { RunEvent } from '../../src/domain/run/event.ts';
import type { RunRecord } from '../../src/domain/run/record.ts';
import { createSystemClock } from '../../src/host/clock.ts';
import { openSqliteJournal } from '../../src/stores/sqlite/journal.ts';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.ts';
import type { ChildOrder } from './child.ts';
import { ALL_HELPERS, askerOf, createScript, furnish, nameOf, paidCalls } from './scenario.ts';

/** In one file, and its compiled code kept between children: most of a trial would be their start. */
const made = mkdtempSync(join(tmpdir(), 'errand-child-'));
afterAll(() => rmSync(made, { recursive: true, force: true }));
const CHILD = join(made, 'child.js');
const built = build({
  configFile: false,
  logLevel: 'error',
  build: { ssr: fileURLToPath(new URL('./child.ts', import.meta.url)), outDir: made, minify: false },
  ssr: { noExternal: true },
});

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Milliseconds from its first line to its end. */
  readonly lasted: number;
}

/** One process of the scenario; `killAfter`: milliseconds from when it begins to act, counted and killed from here, so that it can die in the middle of anything. */
async function runChild(order: ChildOrder, killAfter?: number): Promise<Ended> {
  await built;
  const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], {
    env: { ...process.env, NODE_COMPILE_CACHE: made },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let began = 0;
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (began !== 0) return;
    began = performance.now();
    if (killAfter !== undefined) timer = setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return new Promise((resolve) =>
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr, lasted: performance.now() - began });
    }),
  );
}

/** What is on record, in a form that does not hang on ids and times. */
interface Outcome {
  readonly state: string;
  readonly answer: string;
  readonly helpers: Readonly<Record<string, object>>;
}

interface Store {
  readonly records: readonly RunRecord[];
  readonly events: ReadonlyMap<string, readonly RunEvent[]>;
  readonly problems: readonly string[];
  readonly boots: number;
}

async function readStore(folder: string): Promise<Store> {
  const journal = openSqliteJournal({ folder, mode: 'read', clock: createSystemClock() });
  const records = await journal.records();
  const events = new Map<string, readonly RunEvent[]>();
  for (const record of records) events.set(record.run_id, await journal.read(record.run_id));
  const [problems, boots] = [await journal.check(), (await journal.boots()).length];
  await journal.close();
  return { records, events, problems, boots };
}

function outcomeOf(store: Store): Outcome {
  const answerOf = (record: RunRecord) => {
    const last = store.events.get(record.run_id)?.findLast((event) => event.type === 'run.settled');
    return last?.type === 'run.settled' ? last.answer : null;
  };
  const roomOf = (record: RunRecord) =>
    (store.events.get(record.run_id) ?? []).flatMap((event) => {
      if (event.type === 'transcript.trimmed') return ['trimmed'];
      return event.type === 'transcript.summarised' ? [`summarised, ${event.kept ?? 0} kept`] : [];
    });
  const titleOf = (runId: string | null) => store.records.find((record) => record.run_id === runId)?.title ?? null;
  const root = store.records.find((record) => record.parent_id === null) ?? expect.fail('no root on record');
  const helpers = store.records.filter((record) => record.parent_id !== null);
  return {
    state: root.state,
    answer: answerOf(root) ?? '',
    helpers: Object.fromEntries(
      helpers.map((record) => [
        record.title,
        {
          ending: [record.state, record.reason, record.partial],
          answer: answerOf(record),
          steps: record.steps,
          tools: record.tool_calls,
          room: roomOf(record),
          after: titleOf(record.resumed_from),
        },
      ]),
    ),
  };
}

export interface Trial {
  readonly label: string;
  readonly kill: Pick<ChildOrder, 'killAt' | 'when'> & { readonly after?: number };
}

/** A place for one trial, with a server of its own; removed at the end. */
class Place {
  readonly base = mkdtempSync(join(tmpdir(), 'errand-crash-'));
  readonly work = join(this.base, 'work');
  readonly store = join(this.base, 'store');
  readonly effects = join(this.base, 'effects');

  constructor() {
    mkdirSync(this.work);
    furnish(this.work);
  }

  order(server: ScriptedServer, act: ChildOrder['act'], kill: Pick<ChildOrder, 'killAt' | 'when'> = {}): ChildOrder {
    return { store: this.store, work: this.work, effects: this.effects, url: server.url, act, ...kill };
  }

  effectLabels(): string[] {
    return existsSync(this.effects) ? readFileSync(this.effects, 'utf8').trim().split('\n') : [];
  }
}

interface Uninterrupted {
  readonly outcome: Outcome;
  readonly appends: number;
  /** Milliseconds. */
  readonly lasted: number;
}

/** What a child says at its end; its first line says that it begins. */
function saidBy(ended: Ended) {
  return JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '');
}

/** The scenario without a crash: how it ends, how many appends it takes, and how long. */
export async function uninterrupted(): Promise<Uninterrupted> {
  const place = new Place();
  const server = await createScriptedServer(createScript());
  try {
    const ended = await runChild(place.order(server, 'start'));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    const store = await readStore(place.store);
    expect(store.problems).toEqual([]);
    expect(place.effectLabels()).toHaveLength(2);
    return { outcome: outcomeOf(store), appends: saidBy(ended).appends, lasted: ended.lasted };
  } finally {
    await server.close();
    rmSync(place.base, { recursive: true });
  }
}

/** One crash and one restart; throws where the end differs from the uninterrupted run's, or anything was done twice. Returns whether it was killed, and there was something to go on with. */
async function tryCrash(trial: Trial, wanted: Outcome): Promise<boolean> {
  const place = new Place();
  const server = await createScriptedServer(createScript());
  try {
    const { after, ...kill } = trial.kill;
    const killed = await runChild(place.order(server, 'start', kill), after);
    if (trial.kill.killAt !== undefined) expect(killed, trial.label).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    const crashed = existsSync(place.store) ? await readStore(place.store) : null;
    // Before its first event nothing is on record, so there is nothing to go on with.
    if (!crashed || crashed.records.length === 0) return false;
    const paid = new Set(
      crashed.records.flatMap((record) => paidCalls(record, crashed.events.get(record.run_id) ?? [])),
    );
    const before = server.requests.length;
    const resumed = await runChild(place.order(server, 'resume'));
    expect(resumed, trial.label).toMatchObject({ code: 0, stderr: '' });
    expect(saidBy(resumed).differences, `${trial.label}: replayed`).toEqual([]);
    const store = await readStore(place.store);
    const unknown = [...store.events.values()]
      .flat()
      .filter((event) => event.type === 'tool.finished' && event.output.startsWith('Outcome unknown'));
    expect(outcomeOf(store), trial.label).toEqual(wanted);
    expect(store.problems, trial.label).toEqual([]);
    expect(store.boots, `${trial.label}: processes, slots and leases`).toBe(0);
    // No finished model call is paid again.
    const repeated = server.requests
      .slice(before)
      .map((request) => nameOf(askerOf(request)))
      .filter((call) => paid.has(call));
    expect(repeated, `${trial.label}: paid again`).toEqual([]);
    // No effect is doubled; one whose outcome nobody knows may be missing.
    const effects = place.effectLabels();
    expect(new Set(effects).size, `${trial.label}: doubled effects`).toBe(effects.length);
    expect(effects.length + unknown.length, `${trial.label}: effects`).toBeGreaterThanOrEqual(2);
    expectDeliveredOnce(store, trial.label);
    return killed.signal === 'SIGKILL';
  } finally {
    await server.close();
    rmSync(place.base, { recursive: true });
  }
}

function expectDeliveredOnce(store: Store, label: string): void {
  const root = store.records.find((record) => record.parent_id === null) ?? expect.fail('no root');
  const taken = (store.events.get(root.run_id) ?? []).flatMap((event) =>
    event.type === 'tool.finished' && event.child ? [event.child] : [],
  );
  const keys = taken.map((child) => `${child.run_id} ${child.ending}`);
  expect(new Set(keys).size, `${label}: delivered once`).toBe(keys.length);
  expect(new Set(taken.map((child) => child.run_id)).size, `${label}: each helper`).toBe(ALL_HELPERS.length);
  for (const events of store.events.values()) {
    const calls = events
      .filter((event) => event.type === 'tool.finished')
      .map((event) => `${event.step} ${event.call_id}`);
    expect(new Set(calls).size, `${label}: a call has one result`).toBe(calls.length);
  }
}

/** Runs trials a few at a time, in order; the machine has two cores. Returns in how many a run that was killed went on. */
export async function tryAll(trials: readonly Trial[], wanted: Outcome): Promise<number> {
  const rest = [...trials];
  let wentOn = 0;
  const work = async () => {
    for (let trial = rest.shift(); trial; trial = rest.shift()) if (await tryCrash(trial, wanted)) wentOn++;
  };
  await Promise.all([work(), work(), work()]);
  return wentOn;
}
