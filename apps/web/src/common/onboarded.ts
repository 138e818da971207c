import { useSyncExternalStore } from 'react';

const KEY = 'checkOnboarding';
const listeners = new Set<() => void>();

/** Whether this browser has seen the onboarding, kept where the spec says: localStorage `checkOnboarding`. */
export const onboarded = {
  read: (): boolean => localStorage.getItem(KEY) === 'true',
  store: (): void => {
    localStorage.setItem(KEY, 'true');
    for (const listener of listeners) listener();
  },
};

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The same as state: changes when the user closes the onboarding for good. */
export const useOnboarded = (): boolean => useSyncExternalStore(subscribe, onboarded.read);
