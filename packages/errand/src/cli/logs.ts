import { type Command, Option } from 'commander';
import { EXIT } from '../app/exit-codes.ts';
import type { Clock } from '../base/clock.ts';
import type { RunEvent } from '../domain/run/event.ts';
import type { RunRecord } from '../domain/run/record.ts';
import { isEnded } from '../domain/run/status.ts';
import { withService } from './around/open.ts';
import type { CommandRuntime, Ending, Surroundings } from './around/surroundings.ts';
import { branchOf, findRun, noLongerKept } from './find-run.ts';
import { addReadingFormat, readingFormatOf } from './flags.ts';
import { logLine } from './log-line.ts';
import { lineOf } from './run/presenter.ts';
import { TreeFeed } from './tree-feed.ts';

/** `errand logs <run>`: the recorded events of a run and everything under it, one a line. */
export function addLogs(program: Command, around: Surroundings, ending: Ending): void {
  const command = program
    .command('logs')
    .summary('print the events of a run')
    .description('Prints the recorded events of a run and everything under it, one a line.')
    .argument('<run>', 'its id, the beginning of its id, or its title')
    .addOption(new Option('-f, --follow', 'go on until the run and everything under it is at rest'));
  addReadingFormat(command).action(async (run: string, options: { readonly follow?: boolean }) => {
    const format = readingFormatOf(command);
    ending.exit = await withService(around, 'read', async ({ runtime }) => {
      const record = await findRun(runtime, run);
      const print = (events: readonly RunEvent[]) => {
        const lines = events.map((event) => (format === 'json' ? JSON.stringify(lineOf(event)) : logLine(event)));
        around.stdout.write(lines.map((line) => `${line}\n`).join(''));
      };
      const branch = new Branch(runtime, record, print);
      const reader = { closed: () => around.stdout.closed, onClosed: around.stdout.onClosed };
      await (options.follow ? branch.follow(reader, around.clock) : branch.catchUp());
      for (const remark of branch.missing()) around.stderr.write(`errand: ${remark}\n`);
      return EXIT.completed;
    });
  });
}

function eventsOf(helpers: number): string {
  return `the events of ${helpers === 1 ? '1 helper' : `${helpers} helpers`}`;
}

/** How often it is looked whether the process at work is still there, in milliseconds. */
const PULSE_MS = 3_000;

/** A run with everything under it, printed as far as it is recorded. */
class Branch {
  readonly #runtime: CommandRuntime;
  readonly #run: RunRecord;
  readonly #feed: TreeFeed;
  readonly #print: (events: readonly RunEvent[]) => void;
  #found: RunEvent[] = [];

  constructor(runtime: CommandRuntime, run: RunRecord, print: (events: readonly RunEvent[]) => void) {
    this.#runtime = runtime;
    this.#run = run;
    this.#print = print;
    this.#feed = new TreeFeed(runtime, (events) => {
      for (const event of events) this.#found.push(event);
    });
  }

  /** What could not be printed, one sentence each. */
  missing(): string[] {
    const { swept, damaged } = this.#feed;
    return [
      ...(swept.size > 0 ? [`${eventsOf(swept.size)} are no longer kept (retention.hidden_days).`] : []),
      ...(damaged.size > 0 ? [`${eventsOf(damaged.size)} are damaged (errand doctor).`] : []),
    ];
  }

  /** Prints what is new, in order of time; returns whether all is at rest. Throws where the run itself is not kept, or damaged. */
  async catchUp(): Promise<boolean> {
    const { run_id: runId, root_id: rootId } = this.#run;
    const records = branchOf(runId, await this.#runtime.records({ rootId }));
    const open = records.filter(({ run_id, state }) => !isEnded(state) || !this.#feed.isOver(run_id));
    await this.#feed.complete(open.map(({ run_id }) => run_id));
    if (this.#feed.swept.has(runId)) throw noLongerKept(this.#run);
    const damage = this.#feed.damaged.get(runId);
    if (damage) throw damage;
    const found = this.#found.toSorted((a, b) => a.at - b.at || (a.run_id === b.run_id ? a.seq - b.seq : 0));
    this.#found = [];
    this.#print(found);
    return records.every(({ state }) => isEnded(state));
  }

  /** Catches up whenever something was recorded, until all is at rest or nobody reads. */
  follow(reader: { closed: () => boolean; onClosed: (listener: () => void) => void }, clock: Clock): Promise<void> {
    return new Promise((resolve, reject) => {
      let busy = false;
      let more = false;
      const end = (settle: () => void) => {
        pulse.cancel();
        stop();
        settle();
      };
      const wake = async (): Promise<void> => {
        more = true;
        if (busy) return;
        busy = true;
        try {
          while (more) {
            more = false;
            if (await this.catchUp()) return end(resolve);
          }
        } catch (error) {
          end(() => reject(error));
        } finally {
          busy = false;
        }
      };
      // A process that was killed records nothing that could be heard of.
      const feel = () => {
        pulse = clock.timer(PULSE_MS, feel);
        void wake();
      };
      let pulse = clock.timer(PULSE_MS, feel);
      const stop = this.#runtime.observe(() => void wake());
      reader.onClosed(() => end(resolve));
      void wake();
    });
  }
}
