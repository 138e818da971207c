const KEY = 'access_token';

/** The console's token, kept where the spec says: localStorage `access_token`. */
export const token = {
  read: (): string | null => localStorage.getItem(KEY),
  store: (value: string): void => localStorage.setItem(KEY, value),
  clear: (): void => localStorage.removeItem(KEY),
};

/** Signing in or out in another tab is so here too: the page starts anew as whoever is there now. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key, oldValue, newValue }) => {
    // A null key: the whole storage was cleared.
    if (key === null || (key === KEY && oldValue !== newValue)) window.location.reload();
  });
}
