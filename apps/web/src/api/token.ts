const KEY = 'access_token';

/** The console's token, kept where the spec says: localStorage `access_token`. */
export const token = {
  read: (): string | null => localStorage.getItem(KEY),
  store: (value: string): void => localStorage.setItem(KEY, value),
  clear: (): void => localStorage.removeItem(KEY),
};

const DEVICE = 'propusk-device';

/** The device mark: it stays after a sign-out, so that strangers who spend the tries of an account do not lock its user out. */
export const device = {
  read: (): string | null => localStorage.getItem(DEVICE),
  store: (value: string): void => localStorage.setItem(DEVICE, value),
};

/** Signing in or out in another tab is so here too: the page starts anew as whoever is there now. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key, oldValue, newValue }) => {
    // A null key: the whole storage was cleared.
    if (key === null || (key === KEY && oldValue !== newValue)) window.location.reload();
  });
}
