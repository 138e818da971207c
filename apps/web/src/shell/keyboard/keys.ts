/** A command of a keyboard shortcut that works everywhere in the dashboard. */
export type Command = 'search' | 'add' | 'keys' | 'go';

/** The properties of a key event that select a command. */
type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/**
 * The command of a key. On the Russian layout the same keys work: `n` and `k` by the letter on them, `/` by its place.
 * @returns null for any other key
 */
export function commandOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Pressed): Command | null {
  if (altKey) return null;
  if (ctrlKey || metaKey) return !shiftKey && isLetter(key, code, 'k') ? 'go' : null;
  if (key === '?') return 'keys';
  if (key === '/' || (key === '.' && code === 'Slash')) return 'search';
  // On the Russian layout Shift and this key give a comma.
  if (key === ',' && code === 'Slash') return 'keys';
  return !shiftKey && isLetter(key, code, 'n') ? 'add' : null;
}

/** Whether a key is a Latin letter, or the key with that letter on a layout without Latin ones. */
function isLetter(key: string, code: string, letter: string): boolean {
  const lower = key.toLowerCase();
  return lower === letter || (lower > '\u007f' && code === `Key${letter.toUpperCase()}`);
}

const KEY = 'singleKeys';

/** Whether keys without a modifier work as shortcuts. Users may switch them off (WCAG 2.1.4). */
export const singleKeys = {
  read: (): boolean => localStorage.getItem(KEY) !== 'off',
  store: (on: boolean): void => (on ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, 'off')),
};
