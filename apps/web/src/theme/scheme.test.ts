import { afterEach, describe, expect, it, vi } from 'vitest';
import beforePaint from '../../public/scheme.js?raw';

/** Runs `public/scheme.js` and the console's own code on one page. @returns the colour scheme that each chooses */
async function schemes(pathname: string, kept: string | null, systemIsDark: boolean): Promise<unknown[]> {
  const dataset: Record<string, string> = {};
  const page = {
    localStorage: { getItem: () => kept },
    matchMedia: () => ({ matches: systemIsDark, addEventListener: () => {} }),
    addEventListener: () => {},
    location: { pathname },
    document: { documentElement: { dataset } },
  };
  vi.stubGlobal('window', page);
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  // The Function constructor runs the file like a browser runs a classic script: with the globals of the page.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function(beforePaint)();
  vi.resetModules();
  const { schemeAt } = await import('./scheme.ts');
  return [dataset.mantineColorScheme, schemeAt(pathname)];
}

describe('the colour scheme', () => {
  afterEach(() => vi.unstubAllGlobals());
  it.each([
    ['/dashboard/creator/domains', null, false, 'light'],
    ['/dashboard/creator/domains', null, true, 'dark'],
    ['/dashboard/creator/domains', 'light', true, 'light'],
    ['/dashboard/creator/domains', 'dark', false, 'dark'],
    ['/help', 'nonsense', true, 'dark'],
    ['/auth/login', 'light', false, 'dark'],
    ['/security/check-email', 'light', false, 'dark'],
  ])(
    'at %s, with the stored choice %s and a dark system scheme %s, scheme.js and scheme.ts choose %s',
    async (pathname, kept, systemIsDark, expected) => {
      expect(await schemes(pathname, kept, systemIsDark)).toEqual([expected, expected]);
    },
  );
});
