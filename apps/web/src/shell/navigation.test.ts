import type { User } from '@propusk/contract/me';
import { linkOptions } from '@tanstack/react-router';
import { expect, test, vi } from 'vitest';
import shown from '../../../../docs/pictures/shown.json' with { type: 'json' };

// The routes of the pages import the theme, which reads the browser's preference when it loads.
vi.stubGlobal('window', { matchMedia: () => ({ addEventListener: () => {} }) });
const { pagesOf } = await import('./navigation.tsx');

test('the pictures of the documentation show the present navigation', () => {
  const shows = (texts: readonly string[], role: 'ADMIN' | 'CREATOR') => {
    const user = { roles: [{ value: role }], company: { hasTariff: true } } as unknown as User;
    const labels = pagesOf(user).map(({ label }) => label);
    expect(texts.filter((text) => labels.includes(text))).toEqual(labels);
  };
  shows(shown.sites, 'CREATOR');
  shows(shown.state, 'ADMIN');
});

test('a link to a path that no page or dialog has does not compile', () => {
  // @ts-expect-error -- the page of the sites is /dashboard/creator/domains
  expect(linkOptions({ to: '/dashboard/creator/domain' })).toBeDefined();
  // @ts-expect-error -- the path needs an id
  expect(linkOptions({ to: '/dashboard/creator/domains/$id/edit' })).toBeDefined();
  expect(linkOptions({ to: '/dashboard/creator/domains/$id/edit', params: { id: '1' } })).toBeDefined();
});
