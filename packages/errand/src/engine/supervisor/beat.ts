import type { Timer } from '../../base/clock.ts';
import { BEAT_MS } from '../lease-time.ts';
import type { Services } from '../services.ts';

/** Shows other processes that this one lives, while it drives runs. */
export class Beat {
  readonly #services: Services;
  #timer: Timer | null = null;

  constructor(services: Services) {
    this.#services = services;
  }

  start(): void {
    if (this.#timer) return;
    const { clock, journal, bootId, slots } = this.#services;
    this.#timer = clock.timer(BEAT_MS, () => {
      this.#timer = null;
      // A store that is busy or full for a while does not hear this beat; the next one comes.
      journal.beat(bootId).catch(() => {});
      // Who holds slots may have died, and tells nobody.
      if (slots.queued > 0) slots.retry();
      this.start();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }
}
