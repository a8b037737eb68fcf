import type { Authority, Mode, Risk, ToolFacts } from './authority.ts';

export type Verdict = { readonly verdict: 'allow' } | { readonly verdict: 'ask' | 'deny'; readonly reason: string };

type Answer = 'allow' | 'ask' | 'deny';

/** SPEC table B, as far as no path or command line decides. */
const MODE_BY_RISK: Readonly<Record<Mode, Readonly<Record<Risk, Answer>>>> = {
  manual: { none: 'allow', read: 'allow', write: 'ask', execute: 'ask', network: 'ask' },
  plan: { none: 'allow', read: 'allow', write: 'deny', execute: 'ask', network: 'ask' },
  edit: { none: 'allow', read: 'allow', write: 'allow', execute: 'ask', network: 'ask' },
  auto: { none: 'allow', read: 'allow', write: 'allow', execute: 'ask', network: 'allow' },
};

/**
 * The one gate: asked when tools are offered and again when a call is dispatched.
 * Where nobody is there to approve, `ask` becomes `deny` in words that name no person.
 */
export function authorise(authority: Authority, tool: ToolFacts): Verdict {
  const verdict = judge(authority, tool);
  if (verdict.verdict !== 'ask' || !authority.unattended) return verdict;
  return {
    verdict: 'deny',
    reason: `${verdict.reason} This run is unattended, so there was nobody to ask; nobody has declined it. Go on without it and say so in your report.`,
  };
}

/** The tools that a run is offered: those whose use is not refused from the start. */
export function offer<Tool extends ToolFacts>(authority: Authority, tools: readonly Tool[]): Tool[] {
  return tools.filter((tool) => authorise(authority, tool).verdict !== 'deny');
}

function judge(authority: Authority, tool: ToolFacts): Verdict {
  const deny = (reason: string): Verdict => ({ verdict: 'deny', reason });
  if (tool.family === 'delegate' && authority.depth_left <= 0) {
    return deny(
      'This run may not delegate: no depth is left below it. Do the work yourself, or report what is left to do.',
    );
  }
  if (authority.deny.some((pattern) => fits(pattern, tool.name)))
    return deny(`The tool ${tool.name} is denied to this run.`);
  if (authority.allow !== null && !authority.allow.some((pattern) => fits(pattern, tool.name))) {
    return deny(`The tool ${tool.name} is not among those granted to this run.`);
  }
  if (authority.families !== null && !authority.families.includes(tool.family)) {
    return deny(`The tool ${tool.name} is not among those granted to this run.`);
  }
  if (tool.needsPerson && authority.unattended) return deny(`${tool.name} needs a person, and this run is unattended.`);
  if (!authority.risks.includes(tool.risk)) {
    return deny(`This run may not use tools of risk ${tool.risk}; it may use: ${authority.risks.join(', ')}.`);
  }
  const answer = MODE_BY_RISK[authority.mode][tool.risk];
  if (answer === 'allow') return { verdict: 'allow' };
  const subject = `${tool.name} (risk ${tool.risk}) in mode ${authority.mode}`;
  return answer === 'deny'
    ? deny(`${subject} is not allowed.`)
    : { verdict: 'ask', reason: `${subject} needs an approval.` };
}

function fits(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}
