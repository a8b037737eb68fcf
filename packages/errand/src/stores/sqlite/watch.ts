import { type FSWatcher, watch } from 'node:fs';
import { DATABASE_FILE } from './open.ts';

/** The log is written a moment before its content can be seen; so look again after these milliseconds. */
const LOOK_AGAIN = [2, 10, 50, 250, 1_000];
/** How often to look where the system has no watches left. */
const WITHOUT_WATCH = 1_000;

export interface Watching {
  stop(): void;
}

/** Calls `look` when the store's log was written; it says whether it found something new. */
export function watchCommits(folder: string, look: () => boolean): Watching {
  let again: NodeJS.Timeout | undefined;
  let attempt = 0;
  const check = () => {
    clearTimeout(again);
    const delay = LOOK_AGAIN[attempt++];
    if (!look() && delay !== undefined) again = setTimeout(check, delay).unref();
  };
  const watching = watchPath(folder, {
    only: `${DATABASE_FILE}-wal`,
    changed: () => {
      attempt = 0;
      check();
    },
  });
  return {
    stop: () => {
      watching.stop();
      clearTimeout(again);
    },
  };
}

export interface WatchPathOptions {
  /** Name of the file in the folder that counts; left out: all. */
  readonly only?: string;
  /** Called once for all that happened in a tick. */
  readonly changed: () => void;
}

/** Watches a file or folder. Where the system refuses, `changed` is called every second. */
export function watchPath(path: string, { only, changed }: WatchPathOptions): Watching {
  let pending: NodeJS.Immediate | undefined;
  const onEvent = (name: string | null) => {
    if (pending || (only !== undefined && name !== null && name !== only)) return;
    pending = setImmediate(() => {
      pending = undefined;
      changed();
    });
  };
  let watcher: FSWatcher | undefined;
  let timer: NodeJS.Timeout | undefined;
  const poll = () => {
    timer ??= setInterval(changed, WITHOUT_WATCH);
  };
  try {
    watcher = watch(path, (_kind, name) => onEvent(name));
    watcher.on('error', poll);
  } catch {
    poll();
  }
  return {
    stop: () => {
      watcher?.close();
      clearInterval(timer);
      clearImmediate(pending);
    },
  };
}
