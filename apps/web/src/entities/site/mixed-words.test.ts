import { expect, test } from 'vitest';
import { mixedWords } from './mixed-words.ts';

test.each([
  ['сrm.example.ru', [['с', 'rm']]],
  ['https://crm.exаmple.ru/вход', [['ex', 'а', 'mple']]],
  ['*.xn--rm-nmc.example.ru:8443', [['с', 'rm']]],
  ['почта-1c.example.ru', []],
  ['пример.рф', []],
  ['crm.example.ru/loginвход', []],
])(
  'mixedWords splits the words of %s that mix Latin and Cyrillic letters into runs: %j',
  (address, words) => {
    expect(mixedWords(address)).toEqual(words);
  },
);
