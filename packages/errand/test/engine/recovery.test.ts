import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { CodedError } from '../../src/base/errors.ts';
import { fold } from '../../src/domain/run/apply.ts';
import type { RunEventBody, RunSpec } from '../../src/domain/run/event.ts';
import type { ToolCall } from '../../src/domain/run/message.ts';
import { recordOf } from '../../src/domain/run/record.ts';
import { NO_USAGE } from '../../src/domain/run/usage.ts';
import { createProcesses } from '../../src/host/create-processes.ts';
import type { Journal } from '../../src/ports/journal.ts';
import { createMemoryJournal } from '../../src/stores/memory/journal.ts';
import { answer, type TestClock } from '../../src/testing/index.ts';
import { AUTHORITY, eventsOf } from '../domain/runs.ts';
import { createInstance, delegating, REPORT, resultsOf } from './instance.ts';

const CALL = { call_id: 'c1', name: 'list', args: '{}' };
const MID_STEP: RunEventBody[] = [
  { type: 'run.started' },
  { type: 'model.started', step: 1, attempt: 1, report: null },
  {
    type: 'model.finished',
    step: 1,
    text: 'so far',
    calls: [CALL],
    finish: 'tool_calls',
    usage: NO_USAGE,
    model_used: null,
    active_ms: 5,
    ms: 5,
  },
];

interface Left {
  readonly run_id: string;
  readonly bodies: readonly RunEventBody[];
}

/** A journal as a process left it that was at work on these runs, each a tree of its own. */
async function leftBy(
  owner: { readonly pid: number; readonly process_start: string | null; readonly host?: string },
  left: readonly Left[],
  cwd = '/',
): Promise<Journal> {
  const journal = createMemoryJournal();
  await journal.openBoot({ boot_id: 'boot_old', started_at: 1, host: createProcesses().self().host, ...owner });
  const authority = { ...AUTHORITY, read_roots: [cwd] };
  for (const { run_id, bodies } of left) {
    const system = journal.putBlob('You are a helper.');
    const tools = journal.putBlob('[]');
    const events = eventsOf(bodies, { root_id: run_id, boot_id: 'boot_old', authority, cwd, system, tools }).map(
      (event) => ({
        ...event,
        run_id,
      }),
    );
    const claimed = await journal.claim({ root_id: run_id, boot_id: 'boot_old', mayTake: () => false });
    await journal.append([{ run_id, events, record: recordOf(fold(events)), epoch: claimed.ok ? claimed.epoch : 0 }]);
  }
  return journal;
}

const SELF = createProcesses().self();
const DEAD = { pid: SELF.pid, process_start: 'another time' };
const SETTLED: RunEventBody = {
  type: 'run.settled',
  state: 'completed',
  reason: null,
  ending: 1,
  answer: 'done',
  partial: false,
  message: '',
  active_ms: 1,
};

describe('what an earlier process left', () => {
  it('[DUR-3] [DUR-7] [PAIN-13] is classified on start: running interrupted, queued queued, terminal untouched; a process id that is used again proves nothing', async () => {
    const journal = await leftBy(DEAD, [
      { run_id: 'run_at_work', bodies: MID_STEP },
      { run_id: 'run_queued', bodies: [] },
      { run_id: 'run_done', bodies: [{ type: 'run.started' }, SETTLED] },
    ]);
    const before = await journal.record('run_done');
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    const [atWork, queued, done] = await instance.runtime.records();
    expect(atWork).toMatchObject({ state: 'interrupted', reason: 'restart', partial: true });
    expect(queued).toMatchObject({ state: 'queued' });
    expect(done).toEqual(before);
    expect((await instance.runtime.result('run_at_work'))?.answer).toBe('so far');
    expect((await journal.boots()).map((boot) => boot.boot_id)).not.toContain('boot_old');
    expect(instance.server.requests).toEqual([]);
  });

  it('[DUR-3] a process that lives keeps its runs, also one on another machine', async () => {
    for (const owner of [SELF, { pid: 1, process_start: null, host: 'elsewhere' }]) {
      const journal = await leftBy(owner, [{ run_id: 'run_theirs', bodies: MID_STEP }]);
      const instance = await createInstance(() => answer({ text: 'x' }), { journal });
      expect(await instance.runtime.records()).toMatchObject([{ state: 'running' }]);
    }
  });

  it('[DUR-3] [DUR-6] a silent process is taken over when its lease has run out by our own clock, one that shows itself is not', async () => {
    const tryResume = async (during: (journal: Journal, clock: TestClock) => Promise<void>) => {
      const journal = await leftBy({ pid: 1, process_start: null, host: 'elsewhere' }, [
        { run_id: 'run_theirs', bodies: MID_STEP },
      ]);
      const instance = await createInstance((request) => answer({ text: `${resultsOf(request).length} results` }), {
        journal,
      });
      const asked = instance.runtime.resume({ runId: 'run_theirs' });
      await instance.clock.whenPending(2);
      await during(journal, instance.clock);
      await instance.clock.advance(10_000);
      const resumed = await asked;
      return resumed.ok ? (await resumed.value.result).state : resumed.error.message;
    };
    expect(await tryResume(async (journal) => journal.beat('boot_old'))).toMatch(
      /process 1 on elsewhere, which is at work/u,
    );
    // The wall clock is no witness: neither set forward nor back does it make a process silent, or keep one alive.
    expect(await tryResume(async (_journal, clock) => clock.jump(-86_400_000))).toBe('completed');
    expect(await tryResume(async (_journal, clock) => clock.jump(86_400_000))).toBe('completed');
  });

  it('[DUR-3] [DUR-6] one that closes while its silence is watched is taken over at once', async () => {
    const journal = await leftBy({ pid: 1, process_start: null, host: 'elsewhere' }, [
      { run_id: 'run_theirs', bodies: MID_STEP },
    ]);
    const instance = await createInstance(() => answer({ text: 'done' }), { journal });
    const asked = instance.runtime.resume({ runId: 'run_theirs' });
    await instance.clock.whenPending(2);
    await journal.closeBoot('boot_old');
    // Whatever is committed next tells of it.
    await journal.retain({ now: 0, age: 1, hiddenAge: 1, keep: 9 });
    const resumed = await asked;
    expect(await (resumed.ok ? resumed.value.result : expect.fail(resumed.error.message))).toMatchObject({
      state: 'completed',
    });
  });

  it('[DUR-3] [LIM-2] an owner of whom nothing can be proven and who is silent holds neither runs nor slots for ever', async () => {
    const journal = await leftBy({ pid: 1, process_start: null, host: 'a container that is gone' }, [
      { run_id: 'run_theirs', bodies: MID_STEP },
    ]);
    await journal.takeSlots('boot_old', 1, 1);
    const limits = { max_concurrent: 1, launch_concurrency: 1 };
    const instance = await createInstance(() => answer({ text: 'mine' }), { journal, limits });
    const handle = await instance.start('go');
    await instance.clock.whenPending(2);
    expect(instance.server.requests).toEqual([]);
    await instance.clock.advance(10_000);
    expect(await handle.result).toMatchObject({ state: 'completed', answer: 'mine' });
    expect(await instance.runtime.records()).toMatchObject([
      { state: 'interrupted', reason: 'restart' },
      { state: 'completed' },
    ]);
  });

  it('[DUR-4] [LIM-1] [LIM-6] what a run had used of its turn and of its time is still used after a resume', async () => {
    const agent = (id: string) => ({ call_id: id, name: 'agent', args: '{"task":"look"}' });
    const used = { ...MID_STEP[2], text: '', calls: [CALL], active_ms: 50_000 } as RunEventBody;
    const journal = await leftBy(DEAD, [{ run_id: 'run_root', bodies: [...MID_STEP.slice(0, 2), used] }], '/w');
    for (let index = 0; index < 15; index++) {
      const [created] = eventsOf([{ type: 'run.started' }, SETTLED], {
        root_id: 'run_root',
        call_id: `c${index}`,
        boot_id: 'boot_old',
        depth: 1,
      });
      const child = eventsOf([{ type: 'run.started' }, SETTLED], created).map((event) => ({
        ...event,
        run_id: `run_${index}`,
        parent_id: 'run_root',
      }));
      await journal.append([{ run_id: `run_${index}`, events: child, record: recordOf(fold(child)), epoch: 1 }]);
    }
    const instance = await createInstance(
      (request) => {
        if (request.text.includes('QUESTION')) return answer({ text: REPORT });
        return resultsOf(request).length === 1
          ? answer({ calls: [agent('a'), agent('b')].map(({ name, args }) => ({ name, args })) })
          : instance.server.hold('gate', answer({ text: 'x' }));
      },
      { journal },
    );
    const resumed = await instance.runtime.resume({ runId: 'run_root', limits: { wall_ms: 1_000_000 } });
    if (!resumed.ok) throw new Error(resumed.error.message);
    await instance.server.whenHeld('gate');
    // 15 of the turn's 16 were used: one more goes out, the other is refused.
    const refused = (await journal.read('run_root')).filter(
      (event) => event.type === 'tool.finished' && event.name === 'agent' && event.status === 'refused',
    );
    expect(refused.map((event) => event.type === 'tool.finished' && event.output)).toEqual([
      expect.stringContaining('used 16 of its 16'),
    ]);
    // 50 s of 1,000 s were used: 949 more and it still works, then it is over.
    await instance.clock.advance(100_000);
    resumed.value.cancel('user');
    const result = await resumed.value.result;
    expect(result.state).toBe('cancelled');
    const settled = (await journal.read('run_root')).findLast((event) => event.type === 'run.settled');
    expect(settled).toMatchObject({ active_ms: 150_000 });
  });

  it('[DUR-1] nothing is paid for before what came before it is on record', async () => {
    const journal = createMemoryJournal();
    const append = journal.append.bind(journal);
    let hold: Promise<unknown> = Promise.resolve();
    journal.append = (entries) => hold.then(() => append(entries));
    const opened = Promise.withResolvers<void>();
    const instance = await createInstance(
      (request) =>
        resultsOf(request).length === 0 ? answer({ calls: [{ name: 'list', args: {} }] }) : answer({ text: 'done' }),
      { journal },
    );
    hold = opened.promise;
    const handle = await instance.start('go');
    for (let turn = 0; turn < 20; turn++) await instance.clock.advance(1);
    expect(instance.server.requests).toEqual([]);
    opened.resolve();
    expect(await handle.result).toMatchObject({ state: 'completed' });
  });

  it('[RUN-2] [DUR-6] who was taken over cannot write any more, and says so', async () => {
    const journal = createMemoryJournal();
    const instance = await createInstance(() => instance.server.hold('gate', answer({ text: 'late' })), { journal });
    const handle = await instance.start('go');
    await instance.server.whenHeld('gate');
    await journal.claim({ root_id: handle.run_id, boot_id: 'boot_other', mayTake: () => true });
    instance.server.release('gate');
    await expect(handle.result).rejects.toMatchObject({ code: 'fenced' });
    expect((await journal.read(handle.run_id)).some((event) => event.type === 'run.settled')).toBe(false);
  });

  it('[DUR-3] [PAIN-22] whoever was told to stop before the end of the process does not come back', async () => {
    const journal = await leftBy(DEAD, [
      { run_id: 'run_told', bodies: [...MID_STEP, { type: 'cancel.asked', reason: 'user' }] },
    ]);
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    expect(await instance.runtime.records()).toMatchObject([{ state: 'cancelled', reason: 'user' }]);
  });

  it('[DUR-2] [DUR-4] one that was stopped in mid-step is continued with what its calls had brought, and is told of those that nobody saw end', async () => {
    const calls = ['read', 'write', 'list'].map((name, index) => ({ call_id: `c${index}`, name, args: '{}' }));
    const [done, acting, waiting] = calls as [ToolCall, ToolCall, ToolCall];
    const journal = await leftBy(DEAD, [
      {
        run_id: 'run_stopped',
        bodies: [
          ...MID_STEP.slice(0, 2),
          { ...MID_STEP[2], calls } as RunEventBody,
          { type: 'tool.started', step: 1, risk: 'read', ...done },
          { type: 'tool.finished', step: 1, ...done, status: 'ok', output: 'was read', ms: 1, active_ms: 6 },
          { type: 'tool.started', step: 1, risk: 'write', ...acting },
          { type: 'cancel.asked', reason: 'user' },
        ],
      },
    ]);
    const instance = await createInstance((request) => answer({ text: resultsOf(request).join('|') }), { journal });
    expect(await journal.record('run_stopped')).toMatchObject({ state: 'cancelled' });
    const { answer: told } = await instance.goOn('run_stopped');
    const said = [/^was read$/u, /^Error: Outcome unknown: this call of write/u, /^Error: No result/u];
    for (const [index, text] of told.split('|').entries()) expect(text).toMatch(said[index] ?? waiting.name);
    expect(told.split('|')).toHaveLength(3);
  });

  it('[DUR-3] [PAIN-22] who was told to stop while queued is stopped as well', async () => {
    const journal = await leftBy(DEAD, [{ run_id: 'run_told', bodies: [{ type: 'cancel.asked', reason: 'user' }] }]);
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    expect(await instance.runtime.records()).toMatchObject([{ state: 'cancelled', reason: 'user' }]);
  });

  it('[DUR-7] what is stored about one run may be damaged: the others are put in order, and Errand starts', async () => {
    const journal = await leftBy(DEAD, [
      { run_id: 'run_damaged', bodies: MID_STEP },
      { run_id: 'run_senseless', bodies: MID_STEP },
      { run_id: 'run_sound', bodies: MID_STEP },
    ]);
    const read = journal.read.bind(journal);
    journal.read = async (runId, after) => {
      if (runId === 'run_damaged') throw new CodedError('corrupt', `What is stored about ${runId} is damaged.`);
      return runId === 'run_senseless' ? (await read(runId)).slice(1) : read(runId, after);
    };
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    expect((await journal.record('run_sound'))?.state).toBe('interrupted');
    await expect(instance.runtime.resume({ runId: 'run_damaged' })).rejects.toMatchObject({ code: 'corrupt' });
    // Nothing of the attempt is left: another process may try.
    const claim = { root_id: 'run_damaged', boot_id: 'boot_other', mayTake: () => false };
    expect(await journal.claim(claim)).toMatchObject({ ok: true });
  });

  it('[DUR-3] [DUR-4] a queued run goes on as the run of the process that takes it up, under raised bounds', async () => {
    const journal = await leftBy(DEAD, [{ run_id: 'run_queued', bodies: [] }]);
    const instance = await createInstance(() => instance.server.hold('gate', answer({ text: 'done' })), { journal });
    const resumed = await instance.runtime.resume({ runId: 'run_queued', limits: { steps: 77 } });
    if (!resumed.ok) throw new Error(resumed.error.message);
    await instance.server.whenHeld('gate');
    expect((await instance.runtime.events('run_queued')).find((event) => event.type === 'run.resumed')).toMatchObject({
      limits: { steps: 77 },
    });
    // Whoever wants it stopped asks the process that stands on record, and that is at work on it.
    const record = await journal.record('run_queued');
    expect(record).toMatchObject({ state: 'running' });
    await journal.sendCommand(record?.boot_id ?? '', { kind: 'cancel', run_id: 'run_queued', reason: 'user' });
    expect(await resumed.value.result).toMatchObject({ state: 'cancelled', reason: 'user' });
    expect(await instance.runtime.replay('run_queued')).toMatchObject({ differences: [] });
  });

  it('[DUR-1] an answer that was on record is the answer; it is not paid again', async () => {
    const answered = { ...MID_STEP[2], text: 'the answer', calls: [], finish: 'stop' } as RunEventBody;
    const journal = await leftBy(DEAD, [{ run_id: 'run_answered', bodies: [...MID_STEP.slice(0, 2), answered] }]);
    const instance = await createInstance(() => answer({ text: 'another answer' }), { journal });
    const resumed = await instance.runtime.resume({ runId: 'run_answered' });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect(await resumed.value.result).toMatchObject({ state: 'completed', answer: 'the answer' });
    expect(instance.server.requests).toEqual([]);
  });

  it('[DUR-2] a call that had started and writes is not repeated; the model is told that its outcome is unknown', async () => {
    let acted = 0;
    const writer = {
      name: 'scribble',
      risk: 'write' as const,
      family: 'custom',
      description: 'Writes.',
      parameters: { type: 'object' },
      parse: (args: unknown) => ({ ok: true as const, value: args }),
      execute: async () => {
        acted++;
        return { status: 'ok' as const, output: 'written' };
      },
    };
    const call = { call_id: 'c1', name: 'scribble', args: '{"a":1}' };
    const finished = { ...MID_STEP[2], calls: [call] } as RunEventBody;
    const bodies: RunEventBody[] = [
      ...MID_STEP.slice(0, 2),
      finished,
      { type: 'tool.started', step: 1, risk: 'write', ...call },
    ];
    const journal = await leftBy(DEAD, [{ run_id: 'run_wrote', bodies }]);
    const instance = await createInstance((request) => answer({ text: resultsOf(request).join() }), {
      journal,
      extraTools: [writer],
    });
    const resumed = await instance.runtime.resume({ runId: 'run_wrote' });
    if (!resumed.ok) throw new Error(resumed.error.message);
    expect((await resumed.value.result).answer).toMatch(/Outcome unknown: this call of scribble had started/u);
    expect(acted).toBe(0);
  });

  it('[SUR-4] stopping a run of another process leaves no timer behind, whenever that answers', async () => {
    const journal = await leftBy(SELF, [{ run_id: 'run_theirs', bodies: MID_STEP }]);
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    const stopped = instance.runtime.stop('run_theirs', 'user');
    await instance.clock.whenPending(2);
    // Its pulse is being felt at the very moment at which it settles.
    const boots = journal.boots.bind(journal);
    const felt = Promise.withResolvers<void>();
    journal.boots = () => felt.promise.then(boots);
    await instance.clock.advance(3_000);
    const events = await journal.read('run_theirs');
    const head = { run_id: 'run_theirs', parent_id: null, seq: events.length + 1, at: 9 };
    const settled = { ...head, ...SETTLED, state: 'cancelled', reason: 'user' } as (typeof events)[number];
    await journal.append([
      { run_id: 'run_theirs', events: [settled], record: recordOf(fold([...events, settled])), epoch: 1 },
    ]);
    expect(await stopped).toMatchObject({ kind: 'stopped', record: { state: 'cancelled' } });
    felt.resolve();
    await instance.clock.advance(1);
    expect(instance.clock.pending).toBe(0);
  });

  it('[SUR-4] [DUR-3] a run whose process is gone can be stopped', async () => {
    const journal = await leftBy({ pid: 1, process_start: null, host: 'elsewhere' }, [
      { run_id: 'run_left', bodies: MID_STEP },
    ]);
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    await journal.closeBoot('boot_old');
    expect(await instance.runtime.stop('run_left', 'user')).toMatchObject({
      kind: 'stopped',
      record: { state: 'cancelled', reason: 'user' },
    });
  });
});

/** A root that was waiting for its helper when its process died. */
async function leftWithHelper(
  helper: Partial<RunSpec>,
  bodies: readonly RunEventBody[],
  after: readonly RunEventBody[] = [],
): Promise<Journal> {
  const call = { call_id: 'c1', name: 'agent', args: '{"task":"look"}' };
  const waiting: RunEventBody[] = [
    ...MID_STEP.slice(0, 2),
    { ...MID_STEP[2], calls: [call] } as RunEventBody,
    { type: 'tool.started', step: 1, risk: 'read', ...call },
    ...after,
  ];
  const journal = await leftBy(DEAD, [{ run_id: 'run_root', bodies: waiting }], tmpdir());
  const spec = { root_id: 'run_root', call_id: 'c1', boot_id: 'boot_old', depth: 1, ...helper };
  const events = eventsOf(bodies, spec).map((event) => ({ ...event, run_id: 'run_child', parent_id: 'run_root' }));
  await journal.append([{ run_id: 'run_child', events, record: recordOf(fold(events)), epoch: 1 }]);
  return journal;
}

describe('a helper of a root that goes on', () => {
  it('[DUR-1] [DUR-7] whose record is damaged is not launched again; its parent is told once', async () => {
    const journal = await leftWithHelper({}, [...MID_STEP, SETTLED]);
    const read = journal.read.bind(journal);
    journal.read = async (runId, after) => {
      if (runId === 'run_child') throw new CodedError('corrupt', `What is stored about ${runId} is damaged.`);
      return read(runId, after);
    };
    const instance = await createInstance((request) => answer({ text: `told: ${resultsOf(request).join('|')}` }), {
      journal,
    });
    const result = await instance.goOn('run_root');
    expect(result.answer).toMatch(/^told: [^|]*run_child[^|]*is damaged on disk[^|]*$/u);
    expect(instance.server.requests).toHaveLength(1);
    expect(await journal.records()).toHaveLength(2);
  });

  it('[DUR-1] [DUR-7] of which not even the row can be read is not launched again either', async () => {
    const journal = await leftWithHelper({}, [...MID_STEP, SETTLED]);
    const records = journal.records.bind(journal);
    journal.records = async (filter) => (await records(filter)).filter(({ run_id }) => run_id !== 'run_child');
    journal.unreadable = async () => [
      { run_id: 'run_child', parent_id: 'run_root', call_id: 'c1', resumed_from: null },
    ];
    const instance = await createInstance((request) => answer({ text: `told: ${resultsOf(request).join('|')}` }), {
      journal,
    });
    const result = await instance.goOn('run_root');
    expect(result.answer).toMatch(/^told: [^|]*run_child[^|]*is damaged on disk[^|]*$/u);
    expect(instance.server.requests).toHaveLength(1);
    expect(await records()).toHaveLength(2);
  });

  it('[DUR-4] [DEL-7] whose answer the root had not taken when it was stopped is told to the run that goes on from it', async () => {
    const journal = await leftWithHelper({}, [...MID_STEP, SETTLED], [{ type: 'cancel.asked', reason: 'user' }]);
    const instance = await createInstance((request) => answer({ text: `told: ${resultsOf(request).join('|')}` }), {
      journal,
    });
    expect(await journal.record('run_root')).toMatchObject({ state: 'cancelled' });
    const result = await instance.goOn('run_root');
    expect(result.answer).toMatch(/^told: <helper_answer [^|]*run="run_child"[^|]*\ndone\n[^|]*$/u);
  });

  it('[DUR-3] that had not begun, and whose model is not to be had any more, is over; its parent is told once', async () => {
    const journal = await leftWithHelper({ model: 'gone/m' }, []);
    const instance = await createInstance((request) => answer({ text: `told: ${resultsOf(request).join()}` }), {
      journal,
    });
    const result = await instance.goOn('run_root');
    expect(result).toMatchObject({ state: 'completed', answer: expect.stringMatching(/no connection "gone"/u) });
    expect(result.helpers).toMatchObject([{ run_id: 'run_child', state: 'cancelled', reason: 'parent' }]);
  });
});

describe('a store that fails under a run', () => {
  it('[SUR-4] [DUR-7] a run that was lost with it can be stopped once it is well again', async () => {
    const journal = createMemoryJournal();
    const append = journal.append.bind(journal);
    let ill = false;
    journal.append = (entries) => (ill ? Promise.reject(new CodedError('io', 'the store is ill')) : append(entries));
    const instance = await createInstance(() => instance.server.hold('gate', answer({ text: 'done' })), { journal });
    const handle = await instance.start('go');
    await instance.server.whenHeld('gate');
    ill = true;
    instance.server.release('gate');
    await expect(handle.result).rejects.toMatchObject({ code: 'io' });
    ill = false;
    expect(await instance.runtime.stop(handle.run_id, 'user')).toMatchObject({
      kind: 'stopped',
      record: { state: 'cancelled', reason: 'user' },
    });
  });

  it('[SUR-4] [DUR-7] whoever waits for a stop is told, and nothing of the waiting is left', async () => {
    const journal = await leftBy(SELF, [{ run_id: 'run_theirs', bodies: MID_STEP }]);
    const instance = await createInstance(() => answer({ text: 'x' }), { journal });
    const told = expect(instance.runtime.stop('run_theirs', 'user')).rejects.toMatchObject({ code: 'io' });
    await instance.clock.whenPending(1);
    journal.record = () => Promise.reject(new CodedError('io', 'the store is ill'));
    await instance.run('another');
    await told;
    expect(instance.clock.pending).toBe(0);
  });

  it.each(['full', 'read_only', 'io', 'busy'] as const)(
    '[DUR-7] %s: nothing hangs, whoever waits is told, what was finished is kept, and the run goes on when it is well again',
    async (code) => {
      const journal = createMemoryJournal();
      const append = journal.append.bind(journal);
      let ill = false;
      journal.append = (entries) =>
        ill ? Promise.reject(new CodedError(code, `the store is ${code}`)) : append(entries);
      const instance = await createInstance(
        delegating([{ task: 'one' }, { task: 'two' }], (request, opening) => {
          if (opening.includes('one')) return answer({ text: REPORT });
          return instance.server.hold(
            'gate',
            resultsOf(request).length === 0
              ? answer({ calls: [{ name: 'list', args: {} }] })
              : answer({ text: REPORT }),
          );
        }),
        { journal },
      );
      const handle = await instance.start('ROOT');
      await instance.server.whenHeld('gate');
      ill = true;
      instance.server.release('gate');
      await expect(handle.result).rejects.toMatchObject({ code, message: `the store is ${code}` });
      await instance.server.whenIdle();
      ill = false;
      const resumed = await instance.runtime.resume({ runId: handle.run_id });
      if (!resumed.ok) throw new Error(resumed.error.message);
      const result = await resumed.value.result;
      expect(result).toMatchObject({ state: 'completed', helpers: [{ state: 'completed' }, { state: 'completed' }] });
      // The first helper's work was on record, and is not asked for again.
      expect(instance.server.requests.filter((request) => request.text.includes('QUESTION\\none'))).toHaveLength(1);
    },
  );

  it('[DUR-7] neither a clock that is set nor a machine that slept ends a run or makes its times negative', async () => {
    const instance = await createInstance(() => instance.server.hold('gate', answer({ text: 'done' })));
    const handle = await instance.start('go', { limits: { wall_ms: 60_000 } });
    await instance.server.whenHeld('gate');
    instance.clock.jump(-3_600_000);
    instance.clock.jump(8 * 3_600_000);
    instance.clock.jump(-9 * 3_600_000);
    await instance.clock.advance(1_000);
    instance.server.release('gate');
    const result = await handle.result;
    expect(result.state).toBe('completed');
    expect(result.duration_ms).toBeGreaterThanOrEqual(0);
  });
});
