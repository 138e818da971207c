import { readFileSync } from 'node:fs';
import type { User } from '@propusk/contract/me';
import { expect, test } from 'vitest';
import { pagesOf } from './navigation.tsx';

test('the pictures of the documents show the navigation as it is now', () => {
  const kept = readFileSync(new URL('../../../../docs/pictures/shown.json', import.meta.url), 'utf8');
  const shown: Record<string, string[]> = JSON.parse(kept);
  for (const [picture, role] of [
    ['sites', 'CREATOR'],
    ['state', 'ADMIN'],
  ] as const) {
    const pages = pagesOf({ roles: [{ value: role }], company: { hasTariff: true } } as unknown as User);
    const labels = pages.map(({ label }) => label);
    expect(
      shown[picture]?.filter((text) => labels.includes(text)),
      picture,
    ).toEqual(labels);
  }
});
