import { stored } from '../state.ts';

const KEY = 'access_token';
const kept = stored(KEY);

/** The console's token, kept where the spec says: localStorage `access_token`. */
export const token = {
  ...kept,
  /** Null also for a stored value with characters that HTTP forbids in a header: the api issues no such token. */
  read: (): string | null => {
    const value = kept.read();
    return value !== null && /^[!-~]+$/.test(value) ? value : null;
  },
};

/**
 * The mark of a device that has signed in before. It survives a sign-out, so that strangers who exhaust an account's
 * login attempts do not lock out its user on this device.
 */
export const device = stored('propusk-device');

let follow = (): void => window.location.reload();

/** Sets what this page does when another tab signs in or out. By default it reloads. */
export function followOtherTabsBy(next: () => void): void {
  follow = next;
}

/** Follows a sign-in or sign-out in another tab, by default with a reload of this page. */
export function followOtherTabs(): void {
  window.addEventListener('storage', ({ key, oldValue, newValue }) => {
    // The key is null when another tab cleared the whole storage.
    if (key === null || (key === KEY && oldValue !== newValue)) follow();
  });
}
