import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorise, offer } from '../../src/domain/authority/authorise.ts';
import { type Authority, MODES, RISKS, type ToolFacts } from '../../src/domain/authority/authority.ts';
import { isWithin, narrow } from '../../src/domain/authority/narrow.ts';
import { BUILT_ROLES } from '../../src/domain/role/role.ts';

const names = fc.constantFrom('read', 'search', 'shell', 'edit', 'agent', 'mcp__files__get');
const authority: fc.Arbitrary<Authority> = fc.record({
  mode: fc.constantFrom(...MODES),
  risks: fc.subarray([...RISKS]),
  allow: fc.option(fc.array(names, { maxLength: 4 })),
  deny: fc.array(names, { maxLength: 2 }),
  families: fc.option(fc.subarray(['files', 'delegate', 'todo', 'shell'])),
  read_roots: fc.subarray(['/w', '/w/a', '/x'], { minLength: 1 }),
  commands: fc.constantFrom('none', 'proven', 'sandbox'),
  network: fc.boolean(),
  depth_left: fc.integer({ min: 0, max: 8 }),
  unattended: fc.boolean(),
});
const request = fc.record({
  role: fc.constantFrom(...BUILT_ROLES),
  readRoot: fc.constantFrom('/w', '/w/a', '/w/a/b', '/wide', '/x/y', '/'),
});
const tool: fc.Arbitrary<ToolFacts> = fc.record({
  name: names,
  risk: fc.constantFrom(...RISKS),
  family: fc.constantFrom('files', 'delegate', 'todo', 'shell'),
  needsPerson: fc.boolean(),
});

const ROOT: Authority = {
  mode: 'edit',
  risks: [...RISKS],
  allow: null,
  deny: [],
  families: null,
  read_roots: ['/w'],
  commands: 'sandbox',
  network: true,
  depth_left: 3,
  unattended: false,
};

function helperOf(
  parent: Authority,
  role: 'worker' | 'scout' | 'planner' | 'consultant' = 'worker',
  readRoot = '/w',
): Authority {
  const narrowed = narrow(parent, { role, readRoot });
  if (!narrowed.ok) throw new Error(narrowed.error);
  return narrowed.value;
}

describe('what a helper may do', () => {
  it('[AUTH-5] is never more than its parent, over two generations', () => {
    fc.assert(
      fc.property(authority, request, request, (parent, first, second) => {
        const child = narrow(parent, first);
        if (!child.ok) return;
        expect(isWithin(child.value, parent)).toBe(true);
        const grandchild = narrow(child.value, second);
        if (!grandchild.ok) return;
        expect(isWithin(grandchild.value, child.value)).toBe(true);
        expect(isWithin(grandchild.value, parent)).toBe(true);
      }),
    );
  });

  it('[AUTH-1] is judged alike when tools are offered and when a call is dispatched', () => {
    fc.assert(
      fc.property(authority, fc.array(tool, { maxLength: 6 }), (rights, tools) => {
        const offered = offer(rights, tools);
        for (const candidate of tools) {
          expect(offered.includes(candidate)).toBe(authorise(rights, candidate).verdict !== 'deny');
        }
      }),
    );
  });

  it('[AUTH-4] holds no tool of risk write, whatever its name', () => {
    fc.assert(
      fc.property(request, tool, fc.string(), (ask, facts, name) => {
        const child = narrow(ROOT, { ...ask, readRoot: '/w' });
        if (!child.ok) throw new Error(child.error);
        const verdict = authorise(child.value, { ...facts, name, risk: 'write', family: 'added-later' });
        expect(verdict.verdict).toBe('deny');
      }),
    );
  });

  it('[AUTH-3] turns a question that nobody can answer into a refusal that names no person', () => {
    const child = helperOf({ ...ROOT, mode: 'auto' });
    const verdict = authorise(child, { name: 'shell', risk: 'execute', family: 'shell' });
    expect(verdict).toMatchObject({ verdict: 'deny', reason: expect.stringMatching(/unattended.*nobody to ask/u) });
    expect(authorise(ROOT, { name: 'shell', risk: 'execute', family: 'shell' }).verdict).toBe('ask');
  });

  it('[AUTH-3] leaves out what needs a person, for a helper and for a root that nobody attends', () => {
    const askUser: ToolFacts = { name: 'ask_user', risk: 'none', family: 'person', needsPerson: true };
    expect(offer(helperOf(ROOT), [askUser])).toEqual([]);
    expect(offer({ ...ROOT, unattended: true }, [askUser])).toEqual([]);
    expect(offer(ROOT, [askUser])).toEqual([askUser]);
  });

  it('[AUTH-8] allows delegation by the depth that is left, and by nothing else', () => {
    const agent: ToolFacts = { name: 'agent', risk: 'read', family: 'delegate' };
    let run = ROOT;
    for (let depth = ROOT.depth_left; depth > 0; depth--) {
      expect(offer(run, [agent])).toEqual([agent]);
      run = helperOf(run);
    }
    expect(offer(run, [agent])).toEqual([]);
    expect(authorise(run, agent)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('may not delegate'),
    });
    expect(narrow(run, { role: 'scout', readRoot: '/w' }).ok).toBe(false);
    expect(helperOf(ROOT, 'consultant').depth_left).toBe(0);
  });

  it('[AUTH-5] keeps denials and folders down the tree', () => {
    const parent = helperOf({ ...ROOT, deny: ['search'], read_roots: ['/w/a'] }, 'worker', '/w/a');
    const child = helperOf(parent, 'scout', '/w/a/b');
    expect(authorise(child, { name: 'search', risk: 'read', family: 'files' }).verdict).toBe('deny');
    expect(narrow(child, { role: 'scout', readRoot: '/w/a' }).ok).toBe(false);
    expect(narrow(child, { role: 'scout', readRoot: '/w/a/b2' }).ok).toBe(false);
  });
});
