import type { LiveRun } from './live-run.ts';

/**
 * Stops a run that shows no sign of life for the heartbeat window: neither text nor tool result nor step.
 * The window is longer than any bound of a single call, so this only ends what slipped through those.
 * Waiting for children, a slot or a retry is no silence. Returns the way to call it off.
 */
export function watchHeartbeat(run: LiveRun): () => void {
  const { clock, limits } = run.services;
  const window = limits.heartbeat_ms;
  const look = () => {
    if (run.state.state !== 'running') run.lastProgress = clock.monotonic();
    const rest = run.lastProgress + window - clock.monotonic();
    if (rest > 0) timer = clock.timer(rest, look);
    else run.scope.cancel({ state: 'interrupted', reason: 'stalled' });
  };
  run.lastProgress = clock.monotonic();
  let timer = clock.timer(window, look);
  return () => timer.cancel();
}
