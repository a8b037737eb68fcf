import type { RunEvent } from '../../domain/run/event.ts';
import { printable } from '../../terminal/text.ts';
import { EMPTY_VIEW, foldView, type Row, type View } from '../../terminal/view.ts';
import { foldNames, GLYPHS, pause, stateInWords, taken, tokensKnown } from '../../terminal/words.ts';
import type { Surroundings } from '../around/surroundings.ts';

/** What a person sees of a run while it works, on stderr. */
export interface Progress {
  events(events: readonly RunEvent[]): void;
  /** More of a run's own text, before it is recorded. */
  text(runId: string, delta: string): void;
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
  if (!isLive(around)) return plainLines(around, options.since ?? (() => 0));
  const { createLiveView } = await import('../../terminal/writer.ts');
  const colours = !environment.NO_COLOR;
  const view = createLiveView({ stream: stderr.stream, clock, colours, size: () => stderr.size() });
  return {
    events: (events) => view.events(events),
    text: (runId, delta) => view.text(runId, delta),
    remark: (line) => view.above(line),
    finish: () => view.finish(),
    withdraw: () => view.clear(),
  };
}

function isLive({ stderr, environment }: Surroundings): boolean {
  return stderr.isTerminal && !environment.CI && environment.TERM !== 'dumb';
}

/** Leaves a line free between the live tree and an answer that comes on the same terminal. */
export function setApart(around: Surroundings, silent: boolean): void {
  if (!silent && isLive(around) && around.stdout.isTerminal) around.stderr.write('\n');
}

function remarksOnly({ stderr }: Surroundings): Progress {
  const nothing = () => {};
  return {
    events: nothing,
    text: nothing,
    remark: (line) => stderr.write(`${line}\n`),
    finish: nothing,
    withdraw: nothing,
  };
}

/** One line for each root, and for each beginning, ending and pause of a helper; none for single tool calls. */
function plainLines({ stderr }: Surroundings, since: () => number): Progress {
  let view: View = EMPTY_VIEW;
  const introduced = new Set<string>();
  const usedUp = new Set<string>();
  const say = (line: string) => stderr.write(`${line}\n`);
  const introduce = (root: Row) => {
    if (introduced.has(root.run_id)) return;
    introduced.add(root.run_id);
    say(`${GLYPHS.running} ${root.run_id} "${printable(root.title)}"`);
  };
  return {
    events(events) {
      view = foldView(view, events);
      for (const event of events) {
        const row = view.rows.get(event.run_id);
        if (!row || event.at < since()) continue;
        const root = rootOf(view, row);
        if (row === root && event.type === 'model.finished') introduce(root);
        if (isOutOfHelpers(event) && !usedUp.has(root.run_id)) {
          usedUp.add(root.run_id);
          introduce(root);
          say(usedUpInWords(row.maxHelpers));
        }
        const line = lineFor(event, row);
        if (!line) continue;
        // A root that has helpers is there to stay, although it may not have answered again yet.
        if (row !== root) introduce(root);
        say(line);
      }
    },
    text() {},
    remark: say,
    finish() {},
    withdraw() {},
  };
}

/** The run at the top of a run's tree, as far as it was told of. */
function rootOf(view: View, row: Row): Row {
  const parent = row.parent_id === null ? undefined : view.rows.get(row.parent_id);
  return parent ? rootOf(view, parent) : row;
}

/** Whether a helper was refused because the turn may have no more; what the model was told names the setting. */
function isOutOfHelpers(event: RunEvent): boolean {
  return event.type === 'tool.finished' && event.status === 'refused' && event.output.includes('max_per_turn');
}

function usedUpInWords(most: number): string {
  return `${GLYPHS.cancelled} the turn's helpers are used up (${most} of ${most}): --max-helpers raises it`;
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
      return `${GLYPHS.waiting} ${name} tries again in ${pause(event.retry_in_ms)}: ${printable(event.fault.message)}`;
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
  return `${stateInWords(row)}${row.partial ? ', partial' : ''}: ${time}, ${tokensKnown(row.tokens, row.unknownCalls)} tokens, ${calls}${names}`;
}
