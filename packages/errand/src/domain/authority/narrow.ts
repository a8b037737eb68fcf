import { fail, type Result, succeed } from '../../base/result.ts';
import { POSTURES } from '../role/role.ts';
import { type Authority, MODES, type NarrowRequest, type Risk } from './authority.ts';

/**
 * The authority of a helper: what its role may do, cut by what the parent has.
 * Monotone: the result never exceeds the parent (`isWithin`).
 */
export function narrow(parent: Authority, request: NarrowRequest): Result<Authority, string> {
  if (parent.depth_left <= 0) {
    return fail(
      'This run may not delegate: no depth is left below it. Do the work yourself, or report what is left to do.',
    );
  }
  if (!parent.read_roots.some((root) => isInside(request.readRoot, root))) {
    return fail(`"cwd" must be a folder inside the workspace (${parent.read_roots.join(', ')}).`);
  }
  const posture = POSTURES[request.role];
  const network = parent.network && posture.network === 'parent';
  const wanted: Risk[] = ['none', 'read'];
  if (posture.commands !== 'none') wanted.push('execute');
  if (network) wanted.push('network');
  return succeed({
    // Auto and edit are never inherited by a helper that only reads.
    mode: 'plan',
    risks: parent.risks.filter((risk) => wanted.includes(risk)),
    allow: parent.allow,
    deny: parent.deny,
    families: parent.families,
    read_roots: [request.readRoot],
    commands: lesser(parent.commands, posture.commands),
    network,
    depth_left: posture.delegates ? parent.depth_left - 1 : 0,
    unattended: true,
  });
}

const COMMAND_ORDER = ['none', 'proven', 'sandbox'] as const;

function lesser(a: Authority['commands'], b: Authority['commands']): Authority['commands'] {
  return COMMAND_ORDER.indexOf(a) <= COMMAND_ORDER.indexOf(b) ? a : b;
}

/** Whether `path` is `root` or lies below it; both absolute and normalised. */
function isInside(path: string, root: string): boolean {
  if (path === root) return true;
  const edge = root.endsWith('/') || root.endsWith('\\') ? root : `${root}/`;
  return path.startsWith(edge) || path.startsWith(`${root}\\`);
}

/** The order that `narrow` descends: everything that `lower` may do, `upper` may do as well. */
export function isWithin(lower: Authority, upper: Authority): boolean {
  return (
    lower.risks.every((risk) => upper.risks.includes(risk)) &&
    lower.read_roots.every((path) => upper.read_roots.some((root) => isInside(path, root))) &&
    isListWithin(lower.allow, upper.allow) &&
    isListWithin(lower.families, upper.families) &&
    upper.deny.every((name) => lower.deny.includes(name)) &&
    COMMAND_ORDER.indexOf(lower.commands) <= COMMAND_ORDER.indexOf(upper.commands) &&
    (!lower.network || upper.network) &&
    lower.depth_left <= upper.depth_left &&
    (lower.unattended || !upper.unattended) &&
    (lower.mode === 'plan' || MODES.indexOf(lower.mode) <= MODES.indexOf(upper.mode))
  );
}

function isListWithin(lower: readonly string[] | null, upper: readonly string[] | null): boolean {
  if (upper === null) return true;
  return lower?.every((name) => upper.includes(name)) ?? false;
}
