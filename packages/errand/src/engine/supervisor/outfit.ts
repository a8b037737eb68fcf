import { CodedError } from '../../base/errors.ts';
import { offer } from '../../domain/authority/authorise.ts';
import type { Authority } from '../../domain/authority/authority.ts';
import type { Role } from '../../domain/role/role.ts';
import type { RunSpec } from '../../domain/run/event.ts';
import type { Workspace } from '../../ports/files.ts';
import type { ToolDeclaration } from '../../ports/model.ts';
import type { Tool } from '../../ports/tool.ts';
import { renderSystem } from '../../prompts/system.ts';
import type { Turn } from '../admission/turn.ts';
import type { Services } from '../services.ts';

/** The frozen part of what a run's model sees, with the addresses under which it is recorded. */
export interface Outfit {
  readonly system: string;
  readonly systemAddress: string;
  readonly declarations: readonly ToolDeclaration[];
  readonly toolsAddress: string;
  readonly workspace: Workspace;
}

export interface OutfitRequest {
  readonly kind: 'root' | 'helper';
  readonly role: Role;
  readonly cwd: string;
  readonly authority: Authority;
  readonly turn: Turn;
}

/** Makes outfits; runs that are alike share one, so that a thousand helpers hold one system text. */
export class Outfitter {
  readonly #services: Services;
  readonly #declarations = new Map<string, { readonly list: readonly ToolDeclaration[]; readonly address: string }>();
  /** By turn: instruction files are read once, all its runs see the same, and nothing outlives it. */
  readonly #outfits = new WeakMap<Turn, Map<string, Promise<Outfit>>>();

  constructor(services: Services) {
    this.#services = services;
  }

  outfit(request: OutfitRequest): Promise<Outfit> {
    const { kind, role, cwd, authority, turn } = request;
    const tools = offer(authority, this.#services.tools);
    const names = tools.map((tool) => tool.name).join(' ');
    return this.#shared(turn, `${kind} ${role} ${names} ${cwd}`, () => this.#make(request, tools));
  }

  /** What a recorded run was equipped with, byte for byte. */
  frozen(spec: RunSpec, turn: Turn): Promise<Outfit> {
    return this.#shared(turn, `${spec.system} ${spec.tools} ${spec.cwd}`, () => this.#restore(spec));
  }

  #shared(turn: Turn, key: string, make: () => Promise<Outfit>): Promise<Outfit> {
    let outfits = this.#outfits.get(turn);
    if (!outfits) {
      outfits = new Map();
      this.#outfits.set(turn, outfits);
    }
    const known = outfits.get(key);
    if (known) return known;
    const made = make();
    outfits.set(key, made);
    // What failed is tried again by the next who needs it.
    made.catch(() => outfits.delete(key));
    return made;
  }

  async #restore(spec: RunSpec): Promise<Outfit> {
    const { journal, files } = this.#services;
    const [system, tools] = await Promise.all([journal.getBlob(spec.system), journal.getBlob(spec.tools)]);
    if (system === null || tools === null) {
      throw new CodedError(
        'corrupt',
        `The instructions of "${spec.title}" are no longer in the store, so it cannot go on: start it anew, or put a backup of the store in place.`,
      );
    }
    return {
      system,
      systemAddress: spec.system,
      declarations: JSON.parse(tools) as readonly ToolDeclaration[],
      toolsAddress: spec.tools,
      workspace: files.workspace(spec.cwd),
    };
  }

  async #make(request: OutfitRequest, tools: readonly Tool[]): Promise<Outfit> {
    const { files, journal } = this.#services;
    const instructions = await files.instructions(request.cwd);
    const families = [...new Set(tools.map((tool) => tool.family))];
    const system = renderSystem({ kind: request.kind, role: request.role, cwd: request.cwd, families, instructions });
    const declared = this.#declare(tools);
    return {
      system,
      systemAddress: journal.putBlob(system),
      declarations: declared.list,
      toolsAddress: declared.address,
      workspace: files.workspace(request.cwd),
    };
  }

  #declare(tools: readonly Tool[]) {
    const key = tools.map((tool) => tool.name).join(' ');
    let declared = this.#declarations.get(key);
    if (!declared) {
      const list = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      declared = { list, address: this.#services.journal.putBlob(JSON.stringify(list)) };
      this.#declarations.set(key, declared);
    }
    return declared;
  }
}
