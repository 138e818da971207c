import { login, logout } from '@propusk/contract/auth';
import { feed } from '@propusk/contract/feed';
import { deletePolicy, listPolicies } from '@propusk/contract/policies';
import { expect, it } from 'vitest';
import { isPermitted } from './permissions.ts';

it('isPermitted allows a call exactly to the roles that its endpoint names', () => {
  expect(isPermitted([], login)).toBe(true);
  expect(isPermitted([], logout)).toBe(true);
  expect(isPermitted(['USER'], listPolicies)).toBe(true);
  expect(isPermitted(['USER'], deletePolicy)).toBe(false);
  expect(isPermitted(['USER', 'CREATOR'], deletePolicy)).toBe(true);
  expect(isPermitted(['ADMIN'], feed)).toBe(false);
});
