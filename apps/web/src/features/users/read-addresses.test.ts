import { expect, test } from 'vitest';
import { readAddresses } from './read-addresses.ts';

test.each([
  ['anna@a.ru', ['anna@a.ru']],
  ['anna@a.ru, petr@a.ru;ivan@a.ru', ['anna@a.ru', 'petr@a.ru', 'ivan@a.ru']],
  [' anna@a.ru  petr@a.ru\r\n\nivan@a.ru\n', ['anna@a.ru', 'petr@a.ru', 'ivan@a.ru']],
  ['"Anna P." <anna@a.ru>, Petr <petr@a.ru>', ['anna@a.ru', 'petr@a.ru']],
  ['anna@a.ru, petr', ['anna@a.ru', 'petr']],
  [' ,; \n', []],
])('readAddresses reads every address of the pasted text %j', (text, addresses) => {
  expect(readAddresses(text)).toEqual(addresses);
});
