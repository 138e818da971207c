import { describe, expect, test } from 'vitest';
import { shownPath, splitAddress } from './start-path.ts';

describe('start path of a typed address', () => {
  test.each([
    ['crm.example.ru/login', { host: 'crm.example.ru', path: '/login' }],
    ['https://crm.example.ru:8443/base/?x=1#top', { host: 'crm.example.ru:8443', path: '/base/' }],
    [' http://пример.рф/вход ', { host: 'пример.рф', path: '/вход' }],
    ['*.example.ru/admin', { host: '*.example.ru', path: '/admin' }],
  ])('splitAddress splits %s into host and path', (typed, split) => {
    expect(splitAddress(typed)).toEqual(split);
  });

  test.each(['', 'crm.example.ru', 'https://crm.example.ru/', 'crm example/x', 'https://'])(
    'splitAddress returns null for %j, which has no path or no host',
    (typed) => {
      expect(splitAddress(typed)).toBeNull();
    },
  );

  test.each([
    ['/%D0%B2%D1%85%D0%BE%D0%B4', '/вход'],
    ['/a%20b', '/a b'],
    ['/100%25', '/100%25'],
    ['/a%20', '/a%20'],
    ['/%ff', '/%ff'],
  ])('shownPath shows %s as %s, which reads back as the same path', (path, shown) => {
    expect(shownPath(path)).toBe(shown);
  });
});
