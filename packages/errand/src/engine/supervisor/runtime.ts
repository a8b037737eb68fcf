import { CodedError } from '../../base/errors.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunResult } from '../../domain/run/result.ts';
import type { RunState } from '../../domain/run/state.ts';
import { isEnded } from '../../domain/run/status.ts';
import type { RunHandle, Runtime, StartRefusal } from '../../ports/runtime.ts';
import { launchHelper } from '../delegation/launch.ts';
import { LiveRun } from '../loop/live-run.ts';
import { replay } from '../replay/replay.ts';
import type { Services } from '../services.ts';
import { forkRun } from './fork.ts';
import { bootsById, isAbandoned, recover } from './recover.ts';
import { resultOf } from './results.ts';
import { resumeRun } from './resume.ts';
import { startRoot } from './start.ts';
import { stopElsewhere } from './stop-elsewhere.ts';
import { Supervisor } from './supervisor.ts';

/** A root whose first call was refused, withdrawn so that nothing is left of it. */
class WithdrawnError extends CodedError<StartRefusal['code']> {}

/** What faces may do, over one journal. `mode: read` starts nothing and leaves no boot behind. */
export async function createRuntime(services: Services, mode: 'run' | 'read'): Promise<Runtime> {
  const { journal, bootId, clock, processes } = services;
  const supervisor = new Supervisor(services, launchHelper);
  let stopCommands = () => {};
  if (mode === 'run') {
    await journal.openBoot({ boot_id: bootId, started_at: clock.now(), ...processes.self() });
    stopCommands = journal.receiveCommands(bootId, (command) => {
      const run = supervisor.find(command.run_id);
      if (run) supervisor.cancel(run, command.reason);
    });
    await recover(services);
  }
  return {
    async start(request) {
      const started = await startRoot(supervisor, request);
      return started.ok ? { ok: true, value: handleOf(supervisor, started.value) } : started;
    },
    async resume(request) {
      const resumed = await resumeRun(supervisor, request);
      return resumed.ok ? { ok: true, value: await handleOfResumed(supervisor, resumed.value) } : resumed;
    },
    async fork(request) {
      const forked = await forkRun(supervisor, request);
      return forked.ok ? { ok: true, value: handleOf(supervisor, forked.value) } : forked;
    },
    async replay(runId) {
      const events = await journal.read(runId);
      return events.length === 0 ? null : replay(services, events);
    },
    async stop(runId, reason) {
      const live = supervisor.find(runId);
      if (!live) return stopElsewhere(services, runId, reason);
      supervisor.cancel(live, reason);
      await live.ended;
      const record = await journal.record(runId);
      return record ? { kind: 'stopped', record } : { kind: 'not_found' };
    },
    async records(filter = {}) {
      const { rootId, live, since } = filter;
      const found = await journal.records({
        ...(rootId === undefined ? {} : { root_id: rootId }),
        ...(live === undefined ? {} : { live }),
        ...(since === undefined ? {} : { since }),
      });
      const seen = await asTheyAre(services, found);
      return live ? seen.filter((record) => !isEnded(record.state)) : seen;
    },
    async result(runId) {
      const events = await journal.read(runId);
      return events.length === 0 ? null : readResult(services, fold(events));
    },
    events: (runId, after) => journal.read(runId, after),
    observe: (listener) => journal.observe(listener),
    async close() {
      stopCommands();
      const live = supervisor.all();
      for (const run of live) supervisor.cancel(run, 'session_end');
      await Promise.allSettled(live.map((run) => run.ended));
      if (mode === 'run') await journal.closeBoot(bootId);
      await journal.close();
    },
  };
}

async function readResult(services: Services, run: RunState): Promise<RunResult> {
  return resultOf(run, await services.journal.records({ root_id: run.spec.root_id }));
}

/** What a dead process left running is interrupted, before anybody has put it on record. */
async function asTheyAre(services: Services, records: readonly RunRecord[]): Promise<readonly RunRecord[]> {
  if (records.every((record) => isEnded(record.state) || record.boot_id === services.bootId)) return records;
  const boots = await bootsById(services);
  return records.map((record) =>
    record.state !== 'queued' && isAbandoned(services, boots, record)
      ? { ...record, state: 'interrupted', reason: 'restart', waiting_on: null, current_tool: null }
      : record,
  );
}

async function handleOfResumed(supervisor: Supervisor, run: LiveRun | RunState): Promise<RunHandle> {
  const { journal } = supervisor.services;
  if (run instanceof LiveRun) {
    const tree = await journal.records({ root_id: run.state.spec.root_id });
    return handleOf(
      supervisor,
      run,
      tree.map((record) => record.run_id),
    );
  }
  const nothing = () => () => {};
  const result = readResult(supervisor.services, run);
  return {
    run_id: run.run_id,
    session_id: run.spec.session_id,
    result,
    observe: nothing,
    observeText: nothing,
    cancel: () => {},
  };
}

function handleOf(supervisor: Supervisor, root: LiveRun, known: readonly string[] = []): RunHandle {
  const { journal } = supervisor.services;
  const rootId = root.state.run_id;
  const tree = new Set([rootId, ...known]);
  return {
    run_id: rootId,
    session_id: root.state.spec.session_id,
    result: finish(supervisor, root),
    observe: (listener) =>
      journal.observe((events) => {
        const ours = events.filter((event) => belongs(event, tree));
        if (ours.length > 0) listener(ours);
      }),
    observeText: (listener) => {
      root.onText = (delta) => listener(rootId, delta);
      return () => {
        root.onText = null;
      };
    },
    cancel: (reason) => supervisor.cancel(root, reason),
  };
}

/** Whether an event is of this tree; learns its runs as they are created. */
function belongs(event: RunEvent, tree: Set<string>): boolean {
  if (event.parent_id !== null && tree.has(event.parent_id)) tree.add(event.run_id);
  return tree.has(event.run_id);
}

async function finish(supervisor: Supervisor, root: LiveRun): Promise<RunResult> {
  await root.ended;
  const { state } = root;
  const refused = state.fault?.code;
  if (
    isEnded(state.state) &&
    state.steps === 0 &&
    state.reason === 'provider_refused' &&
    (refused === 'refused_key' || refused === 'unknown_model')
  ) {
    await supervisor.services.journal.discard(state.run_id);
    throw new WithdrawnError(refused, state.fault?.message ?? state.message);
  }
  return readResult(supervisor.services, state);
}
