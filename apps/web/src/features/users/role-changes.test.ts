import type { Role } from '@propusk/contract/roles';
import { expect, test } from 'vitest';
import { isProtected, roleStep } from './role-changes.ts';

const company = {
  id: 1,
  companyName: 'Ромашка',
  companySite: 'romashka.ru',
  secondFactorRequired: false,
  confirmed: true,
};
const person = (id: number, ...roles: Role[]) => ({
  id,
  company,
  roles: roles.map((value) => ({ value })),
});
const owner = person(1, 'CREATOR');
const admin = { ...person(2, 'ADMIN'), company: null };

test('an owner is offered to make an agent an owner, and another owner an agent', () => {
  expect(roleStep(owner, person(3, 'USER'))).toBe('makeOwner');
  expect(roleStep(owner, person(3, 'CREATOR'))).toBe('dropOwner');
  expect(roleStep(owner, person(3, 'USER', 'CREATOR'))).toBe('dropOwner');
});

test('only an admin is offered to take the role from an admin', () => {
  expect(roleStep(owner, person(3, 'ADMIN'))).toBe(null);
  expect(roleStep(admin, person(3, 'ADMIN'))).toBe('dropAdmin');
  expect(roleStep(admin, { ...person(3, 'CREATOR', 'ADMIN') })).toBe('dropAdmin');
});

test('no user is offered a change of their own role', () => {
  expect(roleStep(owner, owner)).toBe(null);
  expect(roleStep(admin, admin)).toBe(null);
});

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
