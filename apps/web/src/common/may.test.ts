import { login, logout } from '@propusk/contract/auth';
import { acknowledge } from '@propusk/contract/feed';
import { deletePolicy, listPolicies } from '@propusk/contract/policies';
import { expect, it } from 'vitest';
import { may } from './may.ts';

it('follows the access that stands on the endpoint', () => {
  expect(may([], login)).toBe(true);
  expect(may([], logout)).toBe(true);
  expect(may(['USER'], listPolicies)).toBe(true);
  expect(may(['USER'], deletePolicy)).toBe(false);
  expect(may(['USER', 'CREATOR'], deletePolicy)).toBe(true);
  expect(may(['ADMIN'], acknowledge)).toBe(false);
});
