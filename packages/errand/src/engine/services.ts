import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Authority } from '../domain/authority/authority.ts';
import type { InstanceLimits } from '../domain/run/limits.ts';
import type { Files } from '../ports/files.ts';
import type { Journal } from '../ports/journal.ts';
import type { Models } from '../ports/model.ts';
import type { Processes } from '../ports/processes.ts';
import type { Tool } from '../ports/tool.ts';
import type { Slots } from './admission/slots.ts';

/** What the engine works with: one bag per instance. */
export interface Services {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly journal: Journal;
  readonly models: Models;
  readonly files: Files;
  readonly processes: Processes;
  readonly tools: readonly Tool[];
  readonly limits: InstanceLimits;
  readonly slots: Slots;
  readonly bootId: string;
  /** What roots may do beyond reading, where an embedding program grants it. */
  readonly rootAuthority: Partial<Authority>;
}
