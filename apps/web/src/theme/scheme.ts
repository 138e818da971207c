import { useSyncExternalStore } from 'react';
import { inAuthArea } from '../paths.ts';

/** The colour scheme of a page. */
export type Scheme = 'light' | 'dark';
/** The user's choice: a scheme, or the system's. */
export type SchemeChoice = Scheme | 'auto';

/** The localStorage key. `public/scheme.js` reads it before the first paint. */
const KEY = 'color_scheme';
const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function readChoice(): SchemeChoice {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'auto';
}

function tell(): void {
  for (const listener of listeners) listener();
}
systemIsDark.addEventListener('change', tell);
// Another tab has chosen.
window.addEventListener('storage', ({ key }) => {
  if (key === KEY || key === null) tell();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Remembers a choice, and shows it at once. */
export function chooseScheme(choice: SchemeChoice): void {
  if (choice === 'auto') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, choice);
  tell();
}

/** The stored choice. */
export function useSchemeChoice(): SchemeChoice {
  return useSyncExternalStore(subscribe, readChoice);
}

/** The scheme of a page: the auth area is always dark, the rest follows the choice. */
export function schemeAt(pathname: string): Scheme {
  if (inAuthArea(pathname)) return 'dark';
  const choice = readChoice();
  if (choice !== 'auto') return choice;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** The current scheme of a page. */
export function useScheme(pathname: string): Scheme {
  return useSyncExternalStore(subscribe, () => schemeAt(pathname));
}
