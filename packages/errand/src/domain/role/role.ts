import { fail, type Result, succeed } from '../../base/result.ts';

/** A posture: what a helper may touch and how it is told to work (SPEC table C). */
export const ROLES = ['worker', 'scout', 'planner', 'reviewer', 'builder', 'verifier', 'consultant', 'custom'] as const;
export type Role = (typeof ROLES)[number];

export interface Posture {
  /** `asked`: only when the call says `write`. */
  readonly write: 'no' | 'asked' | 'yes' | 'own_worktree';
  readonly commands: 'none' | 'proven' | 'sandbox';
  readonly network: 'parent' | 'none';
  readonly delegates: boolean;
  /** The whole posture can be granted today. Others are refused by name. */
  readonly built: boolean;
}

export const POSTURES: Readonly<Record<Role, Posture>> = {
  worker: { write: 'asked', commands: 'proven', network: 'parent', delegates: true, built: true },
  scout: { write: 'no', commands: 'proven', network: 'parent', delegates: true, built: true },
  reviewer: { write: 'no', commands: 'proven', network: 'parent', delegates: true, built: true },
  planner: { write: 'no', commands: 'proven', network: 'none', delegates: true, built: true },
  consultant: { write: 'no', commands: 'none', network: 'none', delegates: false, built: true },
  builder: { write: 'yes', commands: 'sandbox', network: 'none', delegates: true, built: false },
  verifier: { write: 'own_worktree', commands: 'sandbox', network: 'none', delegates: false, built: false },
  custom: { write: 'asked', commands: 'sandbox', network: 'parent', delegates: true, built: false },
};

const ALIASES: Readonly<Record<string, Role>> = {
  general: 'worker',
  default: 'worker',
  'general-purpose': 'worker',
  explore: 'scout',
  explorer: 'scout',
  exploration: 'scout',
  researcher: 'scout',
  plan: 'planner',
  planning: 'planner',
  awaiter: 'planner',
  review: 'reviewer',
  'code-review': 'reviewer',
  code_review: 'reviewer',
  implementer: 'builder',
  implement: 'builder',
  implementation: 'builder',
  developer: 'builder',
  verify: 'verifier',
  verification: 'verifier',
  validator: 'verifier',
  tester: 'verifier',
  oracle: 'consultant',
  advisor: 'consultant',
};

/** The roles that can be asked for today, in the order of table C. */
export const BUILT_ROLES: readonly Role[] = ROLES.filter((role) => POSTURES[role].built);

/** Reads a role or one of its aliases, in any case. The error lists what is accepted. */
export function parseRole(text: string): Result<Role, string> {
  const name = text.trim().toLowerCase();
  const role = ROLES.find((known) => known === name) ?? (Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined);
  const accepted = `Accepted: ${BUILT_ROLES.join(', ')} (also by alias: ${aliasesOf(BUILT_ROLES).join(', ')}).`;
  if (!role) return fail(`There is no role "${text.trim()}". ${accepted}`);
  if (!POSTURES[role].built) {
    return fail(`The role "${role}" needs rights that this version of Errand cannot grant yet. ${accepted}`);
  }
  return succeed(role);
}

function aliasesOf(roles: readonly Role[]): string[] {
  return Object.entries(ALIASES)
    .filter(([, role]) => roles.includes(role))
    .map(([alias]) => alias);
}
