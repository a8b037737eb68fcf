import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RunHandle, Runtime } from '../../src/app/face.ts';
import { DEFAULT_RETENTION, tidied } from '../../src/app/retention.ts';
import type { ErrandOptions } from '../../src/index.ts';
import { createErrand } from '../../src/index.ts';
import type { RetentionRule } from '../../src/ports/journal.ts';
import { createScriptedModel, createTestClock, replyWith, type TestClock } from '../../src/testing/index.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'errand-retention-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

interface Opening {
  readonly store: string;
  readonly clock: TestClock;
  readonly retention: Exclude<ErrandOptions['retention'], undefined>;
  /** What its model says, one a run. */
  readonly answers: readonly string[];
}

function open({ store, clock, retention, answers }: Opening) {
  const model = createScriptedModel(answers.map((text) => replyWith({ text })));
  const models = { connect: async () => ({ ok: true, value: model }) as const };
  return createErrand({ folder: store, clock, models, retention });
}

/** A store with a run that ended four days before another, at the end of which the clock stands. */
async function overdue(clock: TestClock): Promise<{ store: string; first: string; second: string }> {
  const store = folder();
  const errand = await open({ store, clock, retention: null, answers: ['the first answer', 'the second'] });
  const first = await errand.run({ task: 'go', model: 'scripted/m', cwd: store });
  await clock.advance(4 * DAY);
  const second = await errand.run({ task: 'go', model: 'scripted/m', cwd: store });
  await errand.close();
  return { store, first: first.run_id, second: second.run_id };
}

/** Lets what is under way go on for a while. */
async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pass(1);
}

describe('a run that has ended and is due', () => {
  it.each([0, 50])(
    '[DUR-4] [DUR-5] is gone on with %i turns after opening, by its successor, and goes then',
    async (turns) => {
      const clock = createTestClock();
      const { store, first, second } = await overdue(clock);
      const errand = await open({ store, clock, retention: { days: 3 }, answers: ['and more'] });
      await pass(turns);
      const resumed = await errand.resume({ runId: first });
      const handle = resumed.ok ? resumed.value : expect.fail(resumed.error.message);
      expect(handle.run_id).not.toBe(first);
      expect(await handle.result).toMatchObject({ state: 'completed', answer: 'and more' });
      const begun = (await errand.events(handle.run_id))[0];
      expect(begun).toMatchObject({ type: 'run.created', resumed_from: first });
      expect(JSON.stringify(begun)).toContain('the first answer');
      await until(async () => (await errand.records()).every(({ run_id }) => run_id !== first));
      expect((await errand.records()).map(({ run_id }) => run_id)).toEqual([second, handle.run_id]);
      await errand.close();
    },
  );

  it.each([0, 50])('[DUR-4] [DUR-5] is tried again from a step %i turns after opening', async (turns) => {
    const clock = createTestClock();
    const { store, first } = await overdue(clock);
    const errand = await open({ store, clock, retention: { days: 3 }, answers: ['another'] });
    await pass(turns);
    const forked = await errand.fork({ runId: first, step: 0 });
    const handle = forked.ok ? forked.value : expect.fail(forked.error.message);
    expect(await handle.result).toMatchObject({ state: 'completed', answer: 'another' });
    await until(async () => (await errand.records()).every(({ run_id }) => run_id !== first));
    await errand.close();
  });
});

/** A runtime whose `resume` is answered when a test says so, and a journal that counts how often it deletes. */
function stage() {
  const clock = createTestClock();
  const rules: RetentionRule[] = [];
  const journal = {
    retain: async (rule: RetentionRule) => {
      rules.push(rule);
      throw new Error("faults are nobody's");
    },
  };
  const asked = new Map<string, PromiseWithResolvers<Awaited<ReturnType<Runtime['resume']>>>>();
  const resume: Runtime['resume'] = ({ runId }) => {
    const answer = Promise.withResolvers<Awaited<ReturnType<Runtime['resume']>>>();
    asked.set(runId, answer);
    return answer.promise;
  };
  const runtime = tidied({ resume } as Runtime, { journal, retention: DEFAULT_RETENTION, clock });
  return {
    clock,
    rules,
    /** Asks for a run, which ends with `end`. */
    ask(runId: string) {
      const result = Promise.withResolvers<Awaited<RunHandle['result']>>();
      const answered = runtime.resume({ runId });
      return {
        begin: async () => {
          asked.get(runId)?.resolve({ ok: true, value: { result: result.promise } as RunHandle });
          await answered;
        },
        refuse: async () => {
          asked.get(runId)?.resolve({ ok: false, error: { code: 'no_model', message: 'There is none.' } });
          await answered;
        },
        breakOff: async () => {
          asked.get(runId)?.reject(new Error('broken'));
          await answered.catch(() => {});
        },
        end: async () => {
          result.reject(new Error('it broke off'));
          await pass(1);
        },
      };
    },
  };
}

describe('when what is due is deleted', () => {
  it('[DUR-5] is once the first run has been set going, then when one ends an hour or longer after the last time', async () => {
    const { clock, rules, ask } = stage();
    await clock.advance(90 * MINUTE);
    expect(rules).toEqual([]);
    const [first, second, third] = [ask('run_1'), ask('run_2'), ask('run_3')];
    await first.begin();
    await second.begin();
    await third.begin();
    expect(rules).toEqual([{ now: clock.now(), age: 7 * DAY, hiddenAge: DAY, keep: 10_000 }]);
    await clock.advance(59 * MINUTE);
    await first.end();
    expect(rules).toHaveLength(1);
    await clock.advance(MINUTE);
    await ask('run_4').begin();
    expect(rules).toHaveLength(1);
    await second.end();
    expect(rules).toHaveLength(2);
    await third.end();
    expect(rules).toHaveLength(2);
  });

  it('[DUR-5] is not when what was asked for is refused or breaks', async () => {
    const { rules, ask } = stage();
    await ask('run_1').refuse();
    await ask('run_2').breakOff();
    expect(rules).toEqual([]);
    await ask('run_3').begin();
    expect(rules).toHaveLength(1);
  });

  it('[DUR-4] [DUR-5] is not while another run that may be due is being asked for', async () => {
    const { clock, rules, ask } = stage();
    const [first, second] = [ask('run_1'), ask('run_2')];
    await first.begin();
    expect(rules).toEqual([]);
    await second.begin();
    expect(rules).toHaveLength(1);
    await clock.advance(61 * MINUTE);
    const third = ask('run_3');
    await first.end();
    expect(rules).toHaveLength(1);
    await third.refuse();
    await second.end();
    expect(rules).toHaveLength(2);
  });
});
