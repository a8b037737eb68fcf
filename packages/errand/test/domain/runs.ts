import type { Authority } from '../../src/domain/authority/authority.ts';
import type { RunEvent, RunEventBody, RunSpec } from '../../src/domain/run/event.ts';

export const AUTHORITY: Authority = {
  mode: 'plan',
  risks: ['none', 'read'],
  allow: null,
  deny: [],
  families: null,
  read_roots: ['/w'],
  commands: 'none',
  network: false,
  depth_left: 3,
  unattended: true,
};

const SPEC: RunSpec = {
  root_id: 'run_1',
  session_id: 'ses_1',
  call_id: null,
  depth: 0,
  role: 'worker',
  title: 'title',
  task: 'task',
  model: 'mock/m',
  asked_model: null,
  model_from: 'config',
  effort: null,
  window: null,
  authority: AUTHORITY,
  limits: { steps: 5, tool_calls: 10, wall_ms: 60_000 },
  helper_limits: { steps: 5, tool_calls: 10, wall_ms: 60_000 },
  max_per_turn: 16,
  cwd: '/w',
  system: 'a',
  tools: 'b',
  opening: 'task',
  boot_id: 'boot_1',
  format: 1,
  flags: [],
};

/** Numbers bodies into the events of one run, the first being its creation. */
export function eventsOf(
  bodies: readonly RunEventBody[],
  spec: Partial<RunSpec> = {},
): [Extract<RunEvent, { type: 'run.created' }>, ...RunEvent[]] {
  const head = { run_id: 'run_1', parent_id: null };
  const rest = bodies.map((body, index) => ({ ...head, seq: index + 2, at: index + 1, ...body }) as RunEvent);
  return [{ ...head, seq: 1, at: 0, type: 'run.created', ...SPEC, ...spec }, ...rest];
}
