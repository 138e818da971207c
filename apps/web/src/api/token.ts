const KEY = 'access_token';

/** The console's token, kept where the spec says: localStorage `access_token`. */
export const token = {
  read: (): string | null => localStorage.getItem(KEY),
  store: (value: string): void => localStorage.setItem(KEY, value),
  clear: (): void => localStorage.removeItem(KEY),
};
