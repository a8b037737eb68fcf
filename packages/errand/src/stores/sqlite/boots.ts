import type { Boot } from '../../ports/journal.ts';
import { forgottenBoot } from '../shared/faults.ts';
import type { DatabaseSync } from './module.ts';

const COLUMNS = 'boot_id, pid, process_start, host, started_at, beats';

/** Starts of processes, and the slots that each has taken. What writes happens inside a transaction that its caller holds. */
export class Boots {
  readonly #insert;
  readonly #delete;
  readonly #select;
  readonly #selectAll;
  readonly #beat;
  readonly #usedSlots;
  readonly #takeSlots;
  readonly #giveSlots;

  constructor(database: DatabaseSync) {
    this.#insert = database.prepare(
      'insert or replace into boots (boot_id, pid, process_start, host, started_at) values (?, ?, ?, ?, ?)',
    );
    this.#delete = database.prepare('delete from boots where boot_id = ?');
    this.#select = database.prepare(`select ${COLUMNS} from boots where boot_id = ?`);
    this.#selectAll = database.prepare(`select ${COLUMNS} from boots order by started_at, boot_id`);
    this.#beat = database.prepare('update boots set beats = beats + 1 where boot_id = ?');
    this.#usedSlots = database.prepare('select total(slots) as used from boots');
    this.#takeSlots = database.prepare('update boots set slots = slots + ? where boot_id = ?');
    this.#giveSlots = database.prepare('update boots set slots = max(0, slots - ?) where boot_id = ?');
  }

  open({ boot_id, pid, process_start, host, started_at }: Omit<Boot, 'beats'>): void {
    this.#insert.run(boot_id, pid, process_start, host, started_at);
  }

  close(bootId: string): void {
    this.#delete.run(bootId);
  }

  get(bootId: string): Boot | null {
    const row = this.#select.get(bootId);
    return row ? bootOf(row) : null;
  }

  all(): readonly Boot[] {
    return this.#selectAll.all().map(bootOf);
  }

  /** Throws `fenced` when others have forgotten this process. */
  beat(bootId: string): void {
    if (this.#beat.run(bootId).changes === 0) throw forgottenBoot(bootId);
  }

  /** Returns how many of `count` were free. Throws `fenced` when others have forgotten this process. */
  takeSlots(bootId: string, count: number, limit: number): number {
    const used = Number(this.#usedSlots.get()?.used);
    const taken = Math.max(0, Math.min(count, limit - used));
    if (this.#takeSlots.run(taken, bootId).changes === 0) throw forgottenBoot(bootId);
    return taken;
  }

  giveSlots(bootId: string, count: number): void {
    this.#giveSlots.run(Math.max(0, count), bootId);
  }
}

function bootOf(row: object): Boot {
  return { ...row } as Boot;
}
