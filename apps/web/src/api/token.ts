const KEY = 'access_token';

/** The console's token, kept where the spec says: localStorage `access_token`. */
export const token = {
  read: (): string | null => localStorage.getItem(KEY),
  store: (value: string): void => localStorage.setItem(KEY, value),
  clear: (): void => localStorage.removeItem(KEY),
};

const DEVICE = 'propusk-device';

/**
 * The device mark survives a sign-out: strangers who exhaust an account's login attempts then do not lock out its
 * user.
 */
export const device = {
  read: (): string | null => localStorage.getItem(DEVICE),
  store: (value: string): void => localStorage.setItem(DEVICE, value),
};

/** Follows a sign-in or sign-out in another tab by reloading this page. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key, oldValue, newValue }) => {
    // A null key: the whole storage was cleared.
    if (key === null || (key === KEY && oldValue !== newValue)) window.location.reload();
  });
}
