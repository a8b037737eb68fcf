import { createLogUpdate } from 'log-update';
import type { Clock, Timer } from '../base/clock.ts';
import type { RunEvent } from '../domain/run/event.ts';
import { renderFrame } from './frame.ts';
import { EMPTY_VIEW, foldView, isLive, type View } from './view.ts';

export interface LiveViewOptions {
  readonly stream: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly colours: boolean;
  readonly size: () => { readonly width: number; readonly height: number };
}

/** A tree of runs that redraws itself in place. */
export interface LiveView {
  events(events: readonly RunEvent[]): void;
  /** Leaves the tree as it is above what is written next. */
  finish(): void;
  /** Takes the tree away as if it had never been. */
  clear(): void;
  /** Writes a line above the tree. */
  above(line: string): void;
}

/** Between two drawings, in milliseconds. */
const LEAST_PAUSE = 100;
/** Elapsed times move once a second. */
const TICK = 1_000;

export function createLiveView(options: LiveViewOptions): LiveView {
  const { stream, clock, colours } = options;
  const render = createLogUpdate(stream);
  let view: View = EMPTY_VIEW;
  let timer: Timer | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timerAt = 0;
  let ended = false;

  const draw = () => {
    timer?.cancel();
    timer = null;
    drawnAt = clock.monotonic();
    const { width, height } = options.size();
    // The last cell and the last line stay free, where terminals wrap and scroll.
    const frame = renderFrame(view, { now: clock.now(), width: width - 1, height: height - 1, colours });
    if (frame.length > 0) render(frame.join('\n'));
    if (!ended && isLive(view)) schedule(TICK);
  };
  const schedule = (milliseconds: number) => {
    const at = clock.monotonic() + milliseconds;
    if (timer && timerAt <= at) return;
    timer?.cancel();
    timerAt = at;
    timer = clock.timer(milliseconds, draw);
  };
  const end = (last: () => void) => {
    if (ended) return;
    ended = true;
    timer?.cancel();
    last();
    render.done();
  };

  return {
    events(events) {
      if (ended) return;
      view = foldView(view, events);
      schedule(Math.max(0, drawnAt + LEAST_PAUSE - clock.monotonic()));
    },
    finish: () => end(draw),
    clear: () => end(() => render.clear()),
    above(line) {
      render.clear();
      stream.write(`${line}\n`);
      if (!ended) draw();
    },
  };
}
