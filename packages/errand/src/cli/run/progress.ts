import type { RunEvent } from '../../domain/run/event.ts';
import { printable } from '../../terminal/text.ts';
import { EMPTY_VIEW, foldView, type Row, type View } from '../../terminal/view.ts';
import { elapsed, foldNames, GLYPHS, stateInWords, taken, tokens } from '../../terminal/words.ts';
import type { Surroundings } from '../around/surroundings.ts';

/** What a person sees of a run while it works, on stderr. */
export interface Progress {
  events(events: readonly RunEvent[]): void;
  /** A remark of the program itself. */
  remark(line: string): void;
  /** The run is at rest. */
  finish(): void;
  /** The run was withdrawn: nothing of it is to be seen. */
  withdraw(): void;
}

export interface ProgressOptions {
  /** Remarks only. */
  readonly silent: boolean;
  /** What happened before this time is known, and gets no line; asked when there is something to say. Default: nothing is. */
  readonly since?: () => number;
}

/** A live tree where a person watches a terminal, else plain lines. */
export async function createProgress(around: Surroundings, options: ProgressOptions): Promise<Progress> {
  const { stderr, environment, clock } = around;
  if (options.silent) return remarksOnly(around);
  const live = stderr.isTerminal && !environment.CI && environment.TERM !== 'dumb';
  if (!live) return plainLines(around, options.since ?? (() => 0));
  const { createLiveView } = await import('../../terminal/writer.ts');
  const colours = !environment.NO_COLOR;
  const view = createLiveView({ stream: stderr.stream, clock, colours, size: () => stderr.size() });
  return {
    events: (events) => view.events(events),
    remark: (line) => view.above(line),
    finish: () => view.finish(),
    withdraw: () => view.clear(),
  };
}

function remarksOnly({ stderr }: Surroundings): Progress {
  const nothing = () => {};
  return { events: nothing, remark: (line) => stderr.write(`${line}\n`), finish: nothing, withdraw: nothing };
}

/** One line for each root, and for each beginning, ending and pause of a helper; none for single tool calls. */
function plainLines({ stderr }: Surroundings, since: () => number): Progress {
  let view: View = EMPTY_VIEW;
  const introduced = new Set<string>();
  const say = (line: string) => stderr.write(`${line}\n`);
  return {
    events(events) {
      view = foldView(view, events);
      for (const event of events) {
        const row = view.rows.get(event.run_id);
        if (!row || event.at < since()) continue;
        if (row.parent_id === null && event.type === 'model.finished' && !introduced.has(row.run_id)) {
          introduced.add(row.run_id);
          say(`${GLYPHS.running} ${row.run_id} "${printable(row.title)}"`);
        }
        const line = lineFor(event, row);
        if (line) say(line);
      }
    },
    remark: say,
    finish() {},
    withdraw() {},
  };
}

function lineFor(event: RunEvent, row: Row): string | null {
  const name = `${row.role} "${printable(row.title)}"`;
  switch (event.type) {
    case 'run.started':
      return row.parent_id === null ? null : `${GLYPHS.running} ${name} started (${row.run_id})`;
    case 'run.settled':
      return row.parent_id === null ? null : `${GLYPHS[row.state]} ${name} ${endingInWords(row)}`;
    case 'model.failed':
      if (event.retry_in_ms === null) return null;
      return `${GLYPHS.waiting} ${name} tries again in ${elapsed(event.retry_in_ms)}: ${printable(event.fault.message)}`;
    default:
      return null;
  }
}

/** State and reason, calls made, seconds taken, tokens, and which tools in order. Source: DEL-9. */
function endingInWords(row: Row): string {
  const { called } = row;
  const time = taken((row.endedAt ?? row.createdAt) - (row.startedAt ?? row.createdAt));
  const calls = called.length === 1 ? '1 call' : `${called.length} calls`;
  const names = called.length > 0 ? ` (${printable(foldNames(called))})` : '';
  return `${stateInWords(row)}${row.partial ? ', partial' : ''}: ${time}, ${tokens(row.tokens)} tokens, ${calls}${names}`;
}
