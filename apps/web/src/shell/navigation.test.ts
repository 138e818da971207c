import type { User } from '@propusk/contract/me';
import { expect, test } from 'vitest';
import shown from '../../../../docs/pictures/shown.json' with { type: 'json' };
import { pagesOf } from './navigation.tsx';

test('the pictures of the documents show the navigation as it is now', () => {
  const shows = (texts: readonly string[], role: 'ADMIN' | 'CREATOR') => {
    const user = { roles: [{ value: role }], company: { hasTariff: true } } as unknown as User;
    const labels = pagesOf(user).map(({ label }) => label);
    expect(texts.filter((text) => labels.includes(text))).toEqual(labels);
  };
  shows(shown.sites, 'CREATOR');
  shows(shown.state, 'ADMIN');
});
