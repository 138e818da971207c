import { describe, expect, it } from 'vitest';
import { dashboardPage } from './return-to.ts';

describe('the page to return to after a sign-in', () => {
  it.each([
    '/dashboard/creator/users',
    '/dashboard/creator/users?page=2&name=%D0%B0%26%D0%B1#row',
    '/dashboard/personal-data',
  ])('dashboardPage accepts the dashboard address %s', (address) => {
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
  ])('dashboardPage rejects %s, which is no dashboard page of this console', (address) => {
    expect(dashboardPage(address)).toBeNull();
  });
});
