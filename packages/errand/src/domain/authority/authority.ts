import type { Role } from '../role/role.ts';

/** What a tool can do to the world. Delegation is a family; its risk is read. */
export const RISKS = ['none', 'read', 'write', 'execute', 'network'] as const;
export type Risk = (typeof RISKS)[number];

export const MODES = ['manual', 'plan', 'edit', 'auto'] as const;
export type Mode = (typeof MODES)[number];

/**
 * What a run may do: a value, made once at launch, recorded with the run, never widened.
 * Keys are as they stand in the journal.
 */
export interface Authority {
  readonly mode: Mode;
  readonly risks: readonly Risk[];
  /** Tool names that may be used, `*` at the end as a wildcard; null: every name. */
  readonly allow: readonly string[] | null;
  /** Tool names that may not be used; beats `allow`. */
  readonly deny: readonly string[];
  /** Families of tools; null: every family. */
  readonly families: readonly string[] | null;
  /** Absolute folders below which files may be read. */
  readonly read_roots: readonly string[];
  readonly commands: 'none' | 'proven' | 'sandbox';
  readonly network: boolean;
  /** Generations of helpers that may still be launched below this run. */
  readonly depth_left: number;
  /** Nobody is there to approve: what would be asked is refused. */
  readonly unattended: boolean;
}

/** What the gate needs to know of a tool. */
export interface ToolFacts {
  readonly name: string;
  readonly risk: Risk;
  readonly family: string;
  /** Works only with a person there (`ask_user`). */
  readonly needsPerson?: boolean;
}

export interface NarrowRequest {
  readonly role: Role;
  /** Folder in which the helper works; must lie inside the parent's. */
  readonly readRoot: string;
}
