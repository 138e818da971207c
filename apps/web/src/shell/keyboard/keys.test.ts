import { expect, test } from 'vitest';
import { commandOf } from './keys.ts';

const pressed = (key: string, code: string, held: object = {}) =>
  commandOf({ key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test.each([
  ['/', 'Slash', {}, 'search'],
  ['.', 'Slash', {}, 'search'],
  ['.', 'Period', {}, null],
  ['?', 'Slash', { shiftKey: true }, 'keys'],
  ['?', 'Digit7', { shiftKey: true }, 'keys'],
  [',', 'Slash', { shiftKey: true }, 'keys'],
  [',', 'Comma', {}, null],
  ['n', 'KeyN', {}, 'add'],
  ['т', 'KeyN', {}, 'add'],
  ['N', 'KeyN', { shiftKey: true }, null],
  ['n', 'KeyN', { ctrlKey: true }, null],
  ['k', 'KeyK', { ctrlKey: true }, 'go'],
  ['л', 'KeyK', { metaKey: true }, 'go'],
  ['k', 'KeyK', {}, null],
  ['k', 'KeyK', { ctrlKey: true, altKey: true }, null],
])('the key %s at %s with %o gives the command %s', (key, code, held, command) => {
  expect(pressed(key, code, held)).toBe(command);
});
