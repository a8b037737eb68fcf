import { stripVTControlCharacters } from 'node:util';
import { createLogUpdate } from 'log-update';
import type { Clock, Timer } from '../base/clock.ts';
import type { RunEvent } from '../domain/run/event.ts';
import { renderFrame } from './frame.ts';
import { cells } from './text.ts';
import { addWritten, EMPTY_VIEW, foldView, isLive, type View } from './view.ts';

export interface LiveViewOptions {
  readonly stream: NodeJS.WriteStream;
  readonly clock: Clock;
  readonly colours: boolean;
  readonly size: () => { readonly width: number; readonly height: number };
}

/** A tree of runs that redraws itself in place. */
export interface LiveView {
  events(events: readonly RunEvent[]): void;
  /** More of a run's own text, before it is recorded. */
  text(runId: string, delta: string): void;
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
  /** Text that has arrived since the last drawing, in characters by run. */
  const written = new Map<string, number>();
  let timer: Timer | null = null;
  let drawn: { readonly lines: readonly string[]; readonly width: number } = { lines: [], width: 0 };
  let drawnAt = Number.NEGATIVE_INFINITY;
  let timerAt = 0;
  let ended = false;

  /** Takes away what stands there, also where a terminal of another width has wrapped it anew. */
  const erase = () => {
    const { width, height } = options.size();
    const rows = Math.min(rowsOf(drawn.lines, width), height - 1);
    if (drawn.width === width || rows === 0) {
      render.clear();
    } else {
      render.done();
      stream.write(`\r\u001b[${rows}A\u001b[J`);
    }
    drawn = { lines: [], width };
  };
  const draw = () => {
    timer?.cancel();
    timer = null;
    drawnAt = clock.monotonic();
    view = addWritten(view, written);
    written.clear();
    const { width, height } = options.size();
    // The last cell and the last line stay free, where terminals wrap and scroll.
    const lines = renderFrame(view, { now: clock.now(), width: width - 1, height: height - 1, colours });
    if (drawn.lines.length > 0 && drawn.width !== width) erase();
    if (lines.length > 0) {
      render(lines.join('\n'));
      drawn = { lines, width };
    }
    if (!ended && isLive(view)) schedule(TICK);
  };
  const schedule = (milliseconds: number) => {
    const at = clock.monotonic() + milliseconds;
    if (timer && timerAt <= at) return;
    timer?.cancel();
    timerAt = at;
    timer = clock.timer(milliseconds, draw);
  };
  const soon = () => schedule(Math.max(0, drawnAt + LEAST_PAUSE - clock.monotonic()));
  const onResize = () => {
    if (drawn.lines.length > 0) soon();
  };
  stream.on('resize', onResize);
  const end = (last: () => void) => {
    if (ended) return;
    ended = true;
    timer?.cancel();
    stream.off('resize', onResize);
    last();
    render.done();
  };

  return {
    events(events) {
      if (ended) return;
      // What came before an event belongs to the call before it.
      view = foldView(addWritten(view, written), events);
      written.clear();
      soon();
    },
    text(runId, delta) {
      if (ended) return;
      written.set(runId, (written.get(runId) ?? 0) + delta.length);
      soon();
    },
    finish: () => end(draw),
    clear: () => end(erase),
    above(line) {
      erase();
      stream.write(`${line}\n`);
      if (!ended) draw();
    },
  };
}

/** Rows that lines take on a terminal of this width. */
function rowsOf(lines: readonly string[], width: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(cells(stripVTControlCharacters(line)) / width)), 0);
}
