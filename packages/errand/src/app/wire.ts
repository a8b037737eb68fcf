import type { Clock } from '../base/clock.ts';
import { createIds } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Authority } from '../domain/authority/authority.ts';
import type { InstanceLimits } from '../domain/run/limits.ts';
import { createSharedSlots } from '../engine/admission/shared-slots.ts';
import { Slots } from '../engine/admission/slots.ts';
import type { Services } from '../engine/services.ts';
import { createRuntime } from '../engine/supervisor/runtime.ts';
import { createProcesses } from '../host/create-processes.ts';
import { createFiles } from '../host/files/create-files.ts';
import type { Journal } from '../ports/journal.ts';
import type { Models } from '../ports/model.ts';
import type { Processes } from '../ports/processes.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { Tool } from '../ports/tool.ts';
import { createTools } from '../tools/index.ts';

/** What an instance is made of; everything left out is the system's own. */
export interface WireOptions {
  readonly journal: Journal;
  readonly models: Models;
  readonly limits: InstanceLimits;
  /** Tools beside the built-in ones. */
  readonly extraTools?: readonly Tool[];
  /** What roots may do beyond reading; for tools of one's own that write. Helpers get none of it. */
  readonly rootAuthority?: Partial<Authority>;
  readonly clock: Clock;
  readonly random?: Random;
  readonly processes?: Processes;
  readonly mode: 'run' | 'read';
}

/** Puts an instance together: the only place where engine and adapters meet. */
export function wire(options: WireOptions): Promise<Runtime> {
  const { journal, models, limits, mode, clock } = options;
  const random = options.random ?? Math.random;
  const ids = createIds(clock, random);
  const processes = options.processes ?? createProcesses();
  const bootId = ids('boot');
  const services: Services = {
    clock,
    ids,
    random,
    journal,
    models,
    files: createFiles(),
    processes,
    tools: uniqueByName([...createTools(), ...(options.extraTools ?? [])]),
    limits,
    slots: new Slots(
      { all: limits.max_concurrent, forHelpers: limits.launch_concurrency },
      createSharedSlots({ journal, processes, clock, bootId, limit: limits.max_concurrent }),
    ),
    bootId,
    rootAuthority: options.rootAuthority ?? {},
  };
  return createRuntime(services, mode);
}

function uniqueByName(tools: readonly Tool[]): readonly Tool[] {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw new Error(`Two tools are named "${name}"; give yours another name.`);
    seen.add(name);
  }
  return tools;
}
