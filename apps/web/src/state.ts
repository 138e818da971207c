import { useSyncExternalStore } from 'react';

// State outside of React: values of this page, and values in localStorage or sessionStorage.

const listeners = new Set<() => void>();

/** Makes all components re-read their state. */
export function tellState(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The browser fires `storage` when another tab has stored a value.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** A value outside of React, with a hook that re-renders when the value changes. */
export function state<T>(initial: T) {
  let now = initial;
  const read = (): T => now;
  return {
    read,
    set(next: T): void {
      now = next;
      tellState();
    },
    use: (): T => useSyncExternalStore(subscribe, read),
  };
}

/** Re-renders when stored values change. @param read computes a primitive value from them */
export const useStored = <T extends string | boolean>(read: () => T): T =>
  useSyncExternalStore(subscribe, read);

/** Reads and writes the value of one key in the browser's storage. An absent value is null. */
export function stored(key: string, storage: 'localStorage' | 'sessionStorage' = 'localStorage') {
  const self = {
    read: (): string | null => window[storage].getItem(key),
    store(value: string | null): void {
      if (value === null) window[storage].removeItem(key);
      else window[storage].setItem(key, value);
      tellState();
    },
    /** Reads the value and deletes it. */
    take(): string | null {
      const value = self.read();
      self.store(null);
      return value;
    },
  };
  return self;
}

/** 'true' once this browser has seen the onboarding (spec section 3). */
export const onboarded = stored('checkOnboarding');

/** The last state of the first-steps card in this browser: 'folded' or 'done'. The server's reply overrides it. */
export const firstSteps = stored('firstSteps');

/** 'off' when the user has disabled shortcuts without a modifier key (WCAG 2.1.4). */
export const singleKeys = stored('singleKeys');

/** Until when a user dismissed the advice to turn on a second factor: `user id:milliseconds since 1970`. */
export const factorLater = stored('second_factor_later');
