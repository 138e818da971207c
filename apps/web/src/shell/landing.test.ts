import type { Role } from '@propusk/contract/roles';
import { describe, expect, it } from 'vitest';
import { landing } from './landing.ts';

const cases: [Role[], string, string][] = [
  [['USER'], '/dashboard', '/dashboard/user/domains'],
  [['USER'], '/dashboard/creator/domains', '/dashboard/user/domains'],
  [['USER'], '/dashboard/user/politics', 'stay'],
  [['ADMIN'], '/dashboard/creator/domains', '/dashboard/admin/companies'],
  [['USER', 'ADMIN'], '/dashboard', '/dashboard/user/domains'],
  [['CREATOR', 'ADMIN'], '/dashboard', '/dashboard/admin/companies'],
  [['CREATOR'], '/dashboard', '/dashboard/creator/domains'],
  [['CREATOR'], '/dashboard/creator/politics', 'stay'],
  [['CREATOR', 'USER'], '/dashboard/user/politics', 'stay'],
  [['CREATOR'], '/dashboard/creators', '/dashboard/creator/domains'],
  [[], '/dashboard/creator/domains', 'leave'],
];

describe('landing', () => {
  it.each(cases)('%o at %s: %s', (roles, pathname, expected) => {
    const result = landing(roles, pathname);
    expect(result.kind === 'go' ? result.to : result.kind).toBe(expected);
  });
});
