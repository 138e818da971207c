import { describe, expect, test } from 'vitest';
import { faultsOf, readPaths, tidyPaths } from './typed-paths.ts';

const host = 'crm.example.ru';

describe('typed paths of a probe', () => {
  test('readPaths reads paths and URLs of the site, each once, and skips unusable entries', () => {
    const typed = '/base/\n  /вход  \nhttps://crm.example.ru/login?x=1\nCRM.example.ru/login\n\nadmin/x\n/';
    expect(readPaths(typed, host)).toEqual(['/base/', '/%D0%B2%D1%85%D0%BE%D0%B4', '/login']);
  });

  test('readPaths separates entries of one line where a path or a URL follows whitespace', () => {
    expect(readPaths('/a, /b https://crm.example.ru/c\n/with space', host)).toEqual([
      '/a',
      '/b',
      '/c',
      '/with%20space',
    ]);
  });

  test('tidyPaths replaces usable entries by their paths, and keeps unusable ones as typed', () => {
    expect(tidyPaths('https://crm.example.ru/вход\nadmin\n/a\n/a\n', host)).toBe('/вход\nadmin\n/a');
  });

  test.each([
    ['/base/', []],
    ['admin', ['«admin»: начните путь']],
    ['/', ['«/»: это первая страница']],
    ['https://crm.example.ru', ['это первая страница']],
    [`/${'a'.repeat(200)}`, ['длиннее 200 знаков']],
    [`/${'ы'.repeat(199)}`, []],
    [`/${'ы'.repeat(200)}`, ['длиннее 200 знаков']],
    ['/\nadmin', ['«/»', '«admin»']],
    [Array.from({ length: 12 }, (_, at) => `/${at}`).join('\n'), ['Не больше 10. Удалите лишние строки: 2']],
  ])('faultsOf explains the unusable entries of %j', (typed, expected) => {
    const faults = faultsOf('startPaths', typed, host);
    expect(faults).toHaveLength(expected.length);
    for (const [at, words] of expected.entries()) expect(faults[at]).toContain(words);
  });

  test('faultsOf allows at most five open paths', () => {
    expect(faultsOf('openPaths', '/1\n/2\n/3\n/4\n/5', host)).toEqual([]);
    expect(faultsOf('openPaths', '/1\n/2\n/3\n/4\n/5\n/6', host)).toEqual([
      'Не больше 5. Удалите лишние строки: 1',
    ]);
  });
});
