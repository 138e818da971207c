import type { Role } from '@propusk/contract/roles';
import { expect, test } from 'vitest';
import { isProtected } from './is-protected.ts';

const holder = (...roles: Role[]) => ({ roles: roles.map((value) => ({ value })) });

test('an agent may be deleted and given a new password', () => {
  expect(isProtected(holder('USER'))).toBe(false);
  expect(isProtected(holder())).toBe(false);
});

test('an owner and an admin may not be deleted or given a new password, whatever other roles they have', () => {
  expect(isProtected(holder('CREATOR'))).toBe(true);
  expect(isProtected(holder('ADMIN'))).toBe(true);
  expect(isProtected(holder('USER', 'ADMIN'))).toBe(true);
});
