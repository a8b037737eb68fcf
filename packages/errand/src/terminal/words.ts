import type { RunStateName, WaitingOn } from '../domain/run/status.ts';

/** Seconds, minutes, hours: `7s`, `2m 05s`, `1h 02m`. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const two = (value: number) => String(value).padStart(2, '0');
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const hours = Math.floor(seconds / 3_600);
  return hours < 100 ? `${hours}h ${two(Math.floor((seconds % 3_600) / 60))}m` : `${Math.floor(hours / 24)}d`;
}

/** What something took: as `elapsed`, with tenths below ten seconds and milliseconds below one. */
export function taken(milliseconds: number): string {
  const rounded = Math.max(0, Math.round(milliseconds));
  if (rounded < 1_000) return `${rounded}ms`;
  return rounded < 9_950 ? `${(rounded / 1_000).toFixed(1)}s` : elapsed(rounded);
}

/** `950`, `1.2k`, `34k`, `5.6M`. */
export function tokens(count: number): string {
  if (count < 1_000) return String(count);
  const [size, unit] = count < 999_500 ? [1_000, 'k'] : [1_000_000, 'M'];
  const value = count / size;
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`;
}

/** Tokens with `?` behind them where the usage of some calls was never told: `1.2k?`. */
export function tokensKnown(count: number, unknownCalls: number): string {
  return unknownCalls > 0 ? `${tokens(count)}?` : tokens(count);
}

/** A pause that is to come: as `elapsed`, with tenths below ten seconds. */
export function pause(milliseconds: number): string {
  if (milliseconds >= 9_950) return elapsed(milliseconds);
  return `${(Math.max(100, milliseconds) / 1_000).toFixed(1)}s`;
}

/** What a waiting run waits for; `helpers`: how many, where that is known. */
export function waitingFor(on: WaitingOn | null, helpers: number | null): string {
  if (on === 'slot') return 'waiting for a slot';
  if (on === 'retry') return 'waiting to try again';
  if (helpers === null) return 'waiting for helpers';
  return helpers === 1 ? 'waiting for 1 helper' : `waiting for ${helpers} helpers`;
}

/** Names in order, repeats of neighbours folded: `search ×3, read`. Source: DEL-9. */
export function foldNames(names: readonly string[]): string {
  const parts: { name: string; times: number }[] = [];
  for (const name of names) {
    const last = parts.at(-1);
    if (last?.name === name) last.times++;
    else parts.push({ name, times: 1 });
  }
  return parts.map(({ name, times }) => (times > 1 ? `${name} ×${times}` : name)).join(', ');
}

export const GLYPHS: Readonly<Record<RunStateName, string>> = {
  queued: '○',
  running: '●',
  waiting: '◌',
  completed: '✓',
  failed: '✗',
  cancelled: '⊘',
  interrupted: '‖',
};

/** State with its reason, as it is said: `interrupted (wall)`. */
export function stateInWords(run: { readonly state: RunStateName; readonly reason: string | null }): string {
  return run.reason === null ? run.state : `${run.state} (${run.reason})`;
}
