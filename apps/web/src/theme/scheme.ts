import { useSyncExternalStore } from 'react';
import { inAuthArea } from '../paths.ts';

/** What a page looks like. */
export type Scheme = 'light' | 'dark';
/** What a person asked for: one of the two, or what the system says. */
export type SchemeChoice = Scheme | 'auto';

/** Where the choice is kept. `public/scheme.js` reads it before the first paint. */
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

/** What the person asked for. */
export function useSchemeChoice(): SchemeChoice {
  return useSyncExternalStore(subscribe, readChoice);
}

/** What a page shows: the auth area is dark always, the rest follows the choice. */
export function schemeAt(pathname: string): Scheme {
  if (inAuthArea(pathname)) return 'dark';
  const choice = readChoice();
  if (choice !== 'auto') return choice;
  return systemIsDark.matches ? 'dark' : 'light';
}

/** What a page shows now. */
export function useScheme(pathname: string): Scheme {
  return useSyncExternalStore(subscribe, () => schemeAt(pathname));
}
