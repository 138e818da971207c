import { useSyncExternalStore } from 'react';

// State outside of React: values of the page, and values in the browser's storage.

const listeners = new Set<() => void>();

/** Re-reads all state. */
export function tellState(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab has stored a value.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

/** A value of the page. */
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

/** A stored value as state. @param read returns a primitive made of stored values */
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
    /** Reads the value and forgets it. */
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

/** The card of the first steps: 'folded' by the owner, or 'done'. */
export const firstSteps = stored('firstSteps');

/** 'off' where keys without a modifier are no shortcuts (WCAG 2.1.4). */
export const singleKeys = stored('singleKeys');

/** Until when a user snoozed the advice of a second factor: `id:milliseconds since 1970`. */
export const factorLater = stored('second_factor_later');
