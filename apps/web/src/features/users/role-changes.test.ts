import type { Role } from '@propusk/contract/roles';
import { expect, test } from 'vitest';
import { isProtected, roleStep, suspensionStep } from './role-changes.ts';

const company = {
  id: 1,
  companyName: 'Ромашка',
  companySite: 'romashka.ru',
  secondFactorRequired: false,
  confirmed: true,
  hasTariff: false,
  ending: null,
};
const person = (id: number, ...roles: Role[]) => ({
  id,
  company,
  roles: roles.map((value) => ({ value })),
});
const owner = person(1, 'CREATOR');
const admin = { ...person(2, 'ADMIN'), company: null };

test('the console offers an owner to make agents owners, and other owners agents', () => {
  expect(roleStep(owner, person(3, 'USER'))).toBe('makeOwner');
  expect(roleStep(owner, person(3, 'CREATOR'))).toBe('dropOwner');
  expect(roleStep(owner, person(3, 'USER', 'CREATOR'))).toBe('dropOwner');
});

test('the console offers only an ADMIN to take the role ADMIN from another ADMIN', () => {
  expect(roleStep(owner, person(3, 'ADMIN'))).toBe(null);
  expect(roleStep(admin, person(3, 'ADMIN'))).toBe('dropAdmin');
  expect(roleStep(admin, { ...person(3, 'CREATOR', 'ADMIN') })).toBe('dropAdmin');
});

test('the console offers no user a change of their own role', () => {
  expect(roleStep(owner, owner)).toBe(null);
  expect(roleStep(admin, admin)).toBe(null);
});

const holder = (...roles: Role[]) => ({ roles: roles.map((value) => ({ value })) });

test('the console offers to delete an agent and to set a new password for an agent', () => {
  expect(isProtected(holder('USER'))).toBe(false);
  expect(isProtected(holder())).toBe(false);
});

test('the console offers no deletion and no new password for an owner or an ADMIN, whatever other roles they have', () => {
  expect(isProtected(holder('CREATOR'))).toBe(true);
  expect(isProtected(holder('ADMIN'))).toBe(true);
  expect(isProtected(holder('USER', 'ADMIN'))).toBe(true);
});

test('the console offers to suspend agents and other owners, and to lift their suspensions', () => {
  const suspended = { suspension: { until: null } };
  const active = { suspension: null };
  for (const other of [person(3, 'USER'), person(3, 'CREATOR')]) {
    expect(suspensionStep(owner, { ...other, ...active })).toBe('suspend');
    expect(suspensionStep(admin, { ...other, ...suspended })).toBe('resume');
  }
});

test('the console does not offer to suspend the signed-in user, an ADMIN or a user without a company', () => {
  const active = { suspension: null };
  expect(suspensionStep(owner, { ...owner, ...active })).toBe(null);
  expect(suspensionStep(admin, { ...person(3, 'CREATOR', 'ADMIN'), ...active })).toBe(null);
  expect(suspensionStep(admin, { ...person(3, 'USER'), company: null, ...active })).toBe(null);
});
