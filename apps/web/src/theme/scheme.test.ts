import { afterEach, describe, expect, it, vi } from 'vitest';
import beforePaint from '../../public/scheme.js?raw';

/** The page before the console's code is there: what `public/scheme.js` makes of it, and what the console does. */
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
  // The script as the browser runs it: with a page around it and no module.
  // oxlint-disable-next-line typescript/no-implied-eval
  new Function(beforePaint)();
  vi.resetModules();
  const { schemeAt } = await import('./scheme.ts');
  return [dataset.mantineColorScheme, schemeAt(pathname)];
}

describe('the scheme', () => {
  afterEach(() => vi.unstubAllGlobals());
  it.each([
    ['/dashboard/creator/domains', null, false, 'light'],
    ['/dashboard/creator/domains', null, true, 'dark'],
    ['/dashboard/creator/domains', 'light', true, 'light'],
    ['/dashboard/creator/domains', 'dark', false, 'dark'],
    ['/help', 'nonsense', true, 'dark'],
    ['/auth/login', 'light', false, 'dark'],
    ['/security/check-email', 'light', false, 'dark'],
  ])('at %s, kept %s, system dark %s: %s', async (pathname, kept, systemIsDark, expected) => {
    expect(await schemes(pathname, kept, systemIsDark)).toEqual([expected, expected]);
  });
});
