import { inAuthArea } from '../paths.ts';
import { stored, tellState, useStored } from '../state.ts';

/** The colour scheme of a page. */
export type Scheme = 'light' | 'dark';
/** The user's choice: a fixed scheme, or 'auto' for the system's. */
export type SchemeChoice = Scheme | 'auto';

/** The stored choice, which `public/scheme.js` reads before the first paint. */
const kept = stored('color_scheme');
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
systemIsDark.addEventListener('change', tellState);

function readChoice(): SchemeChoice {
  const choice = kept.read();
  return choice === 'light' || choice === 'dark' ? choice : 'auto';
}

/** Stores the user's choice and applies it at once. */
export function chooseScheme(choice: SchemeChoice): void {
  kept.store(choice === 'auto' ? null : choice);
}

/** The stored choice. */
export const useSchemeChoice = (): SchemeChoice => useStored(readChoice);

/** The scheme of a page: the auth area is always dark, all other pages follow the user's choice. */
export function schemeAt(pathname: string): Scheme {
  if (inAuthArea(pathname)) return 'dark';
  const choice = readChoice();
  if (choice !== 'auto') return choice;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** The current scheme of a page. */
export const useScheme = (pathname: string): Scheme => useStored(() => schemeAt(pathname));
