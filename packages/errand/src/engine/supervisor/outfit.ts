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
  /** Instruction files are read once a turn: all its runs see the same. */
  readonly #outfits = new WeakMap<Turn, Map<string, Promise<Outfit>>>();

  readonly #frozen = new Map<string, readonly ToolDeclaration[]>();
  readonly #texts = new Map<string, string>();

  constructor(services: Services) {
    this.#services = services;
  }

  outfit(request: OutfitRequest): Promise<Outfit> {
    const tools = offer(request.authority, this.#services.tools);
    const names = tools.map((tool) => tool.name).join(' ');
    let outfits = this.#outfits.get(request.turn);
    if (!outfits) {
      outfits = new Map();
      this.#outfits.set(request.turn, outfits);
    }
    const key = `${request.kind} ${request.role} ${names} ${request.cwd}`;
    let outfit = outfits.get(key);
    if (!outfit) {
      outfit = this.#make(request, tools);
      outfits.set(key, outfit);
    }
    return outfit;
  }

  /** What a recorded run was equipped with, byte for byte; runs that are alike share it. */
  async frozen(spec: RunSpec): Promise<Pick<Outfit, 'system' | 'declarations'>> {
    const [system, tools] = await Promise.all([this.#text(spec.system), this.#text(spec.tools)]);
    if (system === null || tools === null)
      throw new CodedError('corrupt', `the store has lost the instructions of a run (${spec.title})`);
    let list = this.#frozen.get(spec.tools);
    if (!list) {
      list = JSON.parse(tools) as readonly ToolDeclaration[];
      this.#frozen.set(spec.tools, list);
    }
    return { system, declarations: list };
  }

  async #text(address: string): Promise<string | null> {
    const known = this.#texts.get(address);
    if (known !== undefined) return known;
    const text = await this.#services.journal.getBlob(address);
    if (text !== null) this.#texts.set(address, text);
    return text;
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
