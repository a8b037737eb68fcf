import { describe, expect, it } from 'vitest';
import { BUILT_ROLES, POSTURES, parseRole, ROLES } from '../../src/domain/role/role.ts';

describe('roles', () => {
  it.each([
    ['general', 'worker'],
    ['Default', 'worker'],
    ['general-purpose', 'worker'],
    ['EXPLORE', 'scout'],
    ['explorer', 'scout'],
    ['exploration', 'scout'],
    ['researcher', 'scout'],
    ['plan', 'planner'],
    ['planning', 'planner'],
    ['awaiter', 'planner'],
    ['review', 'reviewer'],
    ['code-review', 'reviewer'],
    ['code_review', 'reviewer'],
    ['oracle', 'consultant'],
    [' Advisor ', 'consultant'],
  ])('[ROLE-2] %s is %s', (alias, role) => {
    expect(parseRole(alias)).toEqual({ ok: true, value: role });
  });

  it('[ROLE-2] an unknown role is an error that lists the accepted ones', () => {
    const parsed = parseRole('wizard');
    expect(parsed.ok).toBe(false);
    for (const role of BUILT_ROLES) expect(parsed).toMatchObject({ error: expect.stringContaining(role) });
    expect(parseRole('constructor').ok).toBe(false);
  });

  it.each(['builder', 'implementer', 'verifier', 'tester', 'custom'])(
    '[ROLE-2] %s is refused by name, since its rights cannot be granted yet',
    (name) => {
      expect(parseRole(name)).toMatchObject({ ok: false, error: expect.stringContaining('cannot grant yet') });
    },
  );

  it('[ROLE-1] every reading role reads and neither writes by itself nor runs what is not proven', () => {
    for (const role of BUILT_ROLES) {
      expect(['no', 'asked']).toContain(POSTURES[role].write);
      expect(['none', 'proven']).toContain(POSTURES[role].commands);
    }
    expect(ROLES).toHaveLength(8);
  });
});
