import type { Role } from '@propusk/contract/roles';
import { describe, expect, it } from 'vitest';
import { landing, sparesToken } from './landing.ts';

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
  [['USER'], '/dashboard/personal-data', 'stay'],
  [['CREATOR'], '/dashboard/personal-data', 'stay'],
  [['ADMIN'], '/dashboard/personal-data', 'stay'],
  [['ADMIN'], '/dashboard/personal-data-x', '/dashboard/admin/companies'],
  [['CREATOR'], '/dashboard/user/personal-data', '/dashboard/creator/domains'],
  [[], '/dashboard/personal-data', 'leave'],
  [[], '/dashboard/creator/domains', 'leave'],
];

describe('the page that a signed-in user lands on', () => {
  it.each(cases)('for a user with the roles %o at %s the gate decides: %s', (roles, pathname, expected) => {
    const result = landing(roles, pathname);
    expect(result.kind === 'go' ? result.to : result.kind).toBe(expected);
  });
});

describe('the token after a failed user lookup', () => {
  it.each([
    ['/dashboard/creator/users', '', false],
    ['/dashboard/creator/users', '?page=2', false],
    // The token is kept for `auth` in the path or a parameter named `hash`, but not for these words in a parameter's value.
    ['/dashboard/creator/users', '?name=auth', false],
    ['/dashboard/creator/users', '?name=hash', false],
    ['/dashboard/creator/users', '?hash=abc', true],
    ['/dashboard/creator/users', '?page=2&hash', true],
    ['/auth/login', '', true],
  ])('whether a failed user lookup at %s%s keeps the token: %s', (pathname, search, spared) => {
    expect(sparesToken({ pathname, search })).toBe(spared);
  });
});
