import { CodedError } from '../../base/errors.ts';
import { fold } from '../../domain/run/apply.ts';
import type { RunEvent } from '../../domain/run/event.ts';
import type { RunRecord } from '../../domain/run/record.ts';
import type { RunResult } from '../../domain/run/result.ts';
import type { RunState } from '../../domain/run/state.ts';
import { type CancelReason, isEnded } from '../../domain/run/status.ts';
import type { RunHandle, Runtime, StartRefusal, StopAnswer } from '../../ports/runtime.ts';
import { launchHelper } from '../delegation/launch.ts';
import { LiveRun } from '../loop/live-run.ts';
import { replay } from '../replay/replay.ts';
import type { Services } from '../services.ts';
import { forkRun } from './fork.ts';
import { bootsById, isAbandoned, recover, sweepSilent } from './recover.ts';
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
  let stopSweeping = () => {};
  if (mode === 'run') {
    await journal.openBoot({ boot_id: bootId, started_at: clock.now(), ...processes.self() });
    stopCommands = journal.receiveCommands(bootId, ({ run_id, reason }) => {
      // Whoever asked watches the record, and is told by it.
      findLive(supervisor, run_id).then(
        (run) => run && supervisor.cancel(run, reason),
        () => {},
      );
    });
    await recover(supervisor);
    stopSweeping = await sweepSilent(supervisor);
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
    stop: (runId, reason) => stopRun(supervisor, runId, reason),
    async records(filter = {}) {
      const { rootId, live, since, resumedFrom } = filter;
      const found = await journal.records({
        ...(rootId === undefined ? {} : { root_id: rootId }),
        ...(live === undefined ? {} : { live }),
        ...(since === undefined ? {} : { since }),
        ...(resumedFrom === undefined ? {} : { resumed_from: resumedFrom }),
      });
      const seen = await asTheyAre(services, found);
      return live ? seen.filter((record) => !isEnded(record.state)) : seen;
    },
    async result(runId) {
      const events = await journal.read(runId);
      return events.length === 0 ? null : readResult(services, fold(events));
    },
    events: (runId, after) => journal.read(runId, after),
    usage: () => journal.usage(),
    observe: (listener) => journal.observe(listener),
    async close() {
      stopCommands();
      await supervisor.close();
      stopSweeping();
      // A boot that cannot be closed, on a full disk for one, ends with its process; nothing that has ended is undone by it.
      if (mode === 'run') await journal.closeBoot(bootId).catch(() => {});
      await journal.close();
    },
  };
}

async function stopRun(supervisor: Supervisor, runId: string, reason: CancelReason): Promise<StopAnswer> {
  const live = await findLive(supervisor, runId);
  if (!live) return stopElsewhere(supervisor, runId, reason);
  supervisor.cancel(live, reason);
  await live.ended;
  const record = await supervisor.services.journal.record(runId);
  return record ? { kind: 'stopped', record } : { kind: 'not_found' };
}

/** A run that lives here; one that is just being set going is not missed. */
async function findLive(supervisor: Supervisor, runId: string): Promise<LiveRun | undefined> {
  const live = supervisor.find(runId);
  if (live) return live;
  const record = await supervisor.services.journal.record(runId);
  if (!record) return undefined;
  return supervisor.inLine(record.root_id, async () => supervisor.find(runId));
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
  return {
    run_id: run.run_id,
    session_id: run.spec.session_id,
    result: watched(readResult(supervisor.services, run)),
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
    result: watched(finish(supervisor, root)),
    observe: (listener) =>
      journal.observe((events) => {
        const ours = events.filter((event) => belongs(event, tree));
        if (ours.length > 0) listener(ours);
      }),
    observeText: (listener) => {
      const hear = (delta: string) => listener(rootId, delta);
      root.onText = hear;
      return () => {
        if (root.onText === hear) root.onText = null;
      };
    },
    cancel: (reason) => supervisor.cancel(root, reason),
  };
}

/** Whoever waits sees the rejection; a result that nobody waits for must not bring the process down. */
function watched(result: Promise<RunResult>): Promise<RunResult> {
  result.catch(() => {});
  return result;
}

/** Whether an event is of this tree; learns its runs as they are created. */
function belongs(event: RunEvent, tree: Set<string>): boolean {
  if (event.parent_id !== null && tree.has(event.parent_id)) tree.add(event.run_id);
  return tree.has(event.run_id);
}

async function finish(supervisor: Supervisor, root: LiveRun): Promise<RunResult> {
  await root.ended;
  const { state, withdrawn } = root;
  if (!withdrawn) return readResult(supervisor.services, state);
  const code = state.fault?.code === 'unknown_model' ? 'unknown_model' : 'refused_key';
  throw new WithdrawnError(code, state.fault?.message ?? state.message);
}
