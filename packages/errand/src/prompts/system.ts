import type { Role } from '../domain/role/role.ts';
import { fill, promptText } from './text.ts';

/** What a run has, as far as its system text depends on it. */
export interface SystemFacts {
  readonly kind: 'root' | 'helper';
  readonly role: Role;
  readonly cwd: string;
  /** Families of the tools on offer. */
  readonly families: readonly string[];
  readonly instructions: readonly { readonly path: string; readonly text: string }[];
}

const PARTS = ['root', 'helper', 'role', 'workspace', 'machine', 'delegate', 'contract'] as const;

/** The system text of a run: each part that its `requires` and `families` let in, then the workspace's own instructions. */
export function renderSystem(facts: SystemFacts): string {
  const has = new Set<string>([facts.kind]);
  if (facts.families.includes('files')) has.add('workspace');
  if (facts.families.includes('delegate')) has.add('delegate');
  const parts = PARTS.flatMap((name) => {
    if (name === 'role') return facts.kind === 'helper' ? [promptText(`prompts/roles/${facts.role}`).trim()] : [];
    const part = parsePart(promptText(`prompts/system/${name}`));
    const fits =
      part.requires.every((word) => has.has(word)) && part.families.every((family) => facts.families.includes(family));
    return fits ? [fill(part.body, { cwd: facts.cwd }).trim()] : [];
  });
  const instructions = facts.instructions.map((file) => fill(promptText('prompts/turns/instructions'), file).trim());
  return [...parts, ...instructions].join('\n\n');
}

interface Part {
  readonly requires: readonly string[];
  readonly families: readonly string[];
  readonly body: string;
}

const parsed = new Map<string, Part>();

function parsePart(text: string): Part {
  let part = parsed.get(text);
  if (!part) {
    const [, head = '', body = text] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/u.exec(text) ?? [];
    part = { requires: wordsOf(head, 'requires'), families: wordsOf(head, 'families'), body };
    parsed.set(text, part);
  }
  return part;
}

function wordsOf(head: string, key: string): string[] {
  const line = head.split('\n').find((candidate) => candidate.startsWith(`${key}:`));
  return line
    ? line
        .slice(key.length + 1)
        .split(',')
        .map((word) => word.trim())
    : [];
}
