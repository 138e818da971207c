import { describe, expect, it } from 'vitest';
import { dashboardPage } from './return-to.ts';

describe('dashboardPage', () => {
  it.each([
    '/dashboard/creator/users',
    '/dashboard/creator/users?page=2&name=%D0%B0%26%D0%B1#row',
    '/dashboard/personal-data',
  ])('keeps %s', (address) => {
    expect(dashboardPage(address)).toBe(address);
  });
  it.each([
    null,
    '',
    '/',
    '/auth/login',
    '/dashboard',
    '/dashboards/x',
    '/dashboard/../auth/login',
    '/dashboard/%2e%2e/auth/login',
    '//evil.test/dashboard/x',
    '/\\evil.test/dashboard/x',
    'https://evil.test/dashboard/x',
    'javascript:alert(1)//dashboard/',
    'https://',
  ])('rejects the address %s', (address) => {
    expect(dashboardPage(address)).toBeNull();
  });
});
