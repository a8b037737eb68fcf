import { type FSWatcher, watch } from 'node:fs';
import type { Clock, Timer } from '../../base/clock.ts';
import { DATABASE_FILE } from './errors.ts';

/** The log is written a moment before its content can be seen; so look again after these milliseconds. */
const LOOK_AGAIN = [2, 10, 50, 250, 1_000];
/** How often to look where the system has no watches left, in milliseconds. */
const WITHOUT_WATCH = 1_000;

export interface Watching {
  stop(): void;
}

export interface WatchCommitsOptions {
  readonly clock: Clock;
  /** Says whether it found something new. */
  readonly look: () => boolean;
}

/** Calls `look` when the store's log was written. */
export function watchCommits(folder: string, { clock, look }: WatchCommitsOptions): Watching {
  let again: Timer | undefined;
  let attempt = 0;
  const check = () => {
    again?.cancel();
    const delay = LOOK_AGAIN[attempt++];
    if (!look() && delay !== undefined) again = clock.timer(delay, check);
  };
  const watching = watchPath(folder, {
    clock,
    only: `${DATABASE_FILE}-wal`,
    changed: () => {
      attempt = 0;
      check();
    },
  });
  return {
    stop: () => {
      watching.stop();
      again?.cancel();
    },
  };
}

export interface WatchPathOptions {
  readonly clock: Clock;
  /** Name of the file in the folder that counts; left out: all. */
  readonly only?: string;
  /** Called once for all that happened in a tick. */
  readonly changed: () => void;
}

/** Watches a file or folder. Where the system refuses, `changed` is called every second. */
export function watchPath(path: string, { clock, only, changed }: WatchPathOptions): Watching {
  let pending: NodeJS.Immediate | undefined;
  let stopped = false;
  const onEvent = (name: string | null) => {
    if (pending || stopped || (only !== undefined && name !== null && name !== only)) return;
    pending = setImmediate(() => {
      pending = undefined;
      changed();
    });
  };
  let watcher: FSWatcher | undefined;
  let timer: Timer | undefined;
  const poll = () => {
    timer?.cancel();
    if (stopped) return;
    timer = clock.timer(WITHOUT_WATCH, () => {
      changed();
      poll();
    });
  };
  try {
    watcher = watch(path, (_kind, name) => onEvent(name));
    watcher.on('error', poll);
  } catch {
    poll();
  }
  return {
    stop: () => {
      stopped = true;
      watcher?.close();
      timer?.cancel();
      clearImmediate(pending);
    },
  };
}
