import { expect, test } from 'vitest';
import { readAddresses } from './read-addresses.ts';

test.each([
  ['anna@a.ru', ['anna@a.ru']],
  ['anna@a.ru, petr@a.ru;ivan@a.ru', ['anna@a.ru', 'petr@a.ru', 'ivan@a.ru']],
  [' anna@a.ru  petr@a.ru\r\n\nivan@a.ru\n', ['anna@a.ru', 'petr@a.ru', 'ivan@a.ru']],
  ['"Anna P." <anna@a.ru>, Petr <petr@a.ru>', ['anna@a.ru', 'petr@a.ru']],
  ['anna@a.ru, petr', ['anna@a.ru', 'petr']],
  [
    '"Иванов, Иван" <a@b.ru>, Петров, Пётр <c@d.ru>; e@f.ru, "x@y.ru" <g@h.ru>',
    ['a@b.ru', 'c@d.ru', 'e@f.ru', 'g@h.ru'],
  ],
  ['Иван <a@b.ru>, petr', ['a@b.ru', 'petr']],
  ['Иван\tИванов\ta@b.ru\tОтдел, 5\r\nПётр\tc@d.ru', ['a@b.ru', 'c@d.ru']],
  ['Имя\tПочта', ['Имя', 'Почта']],
  ['mailto:a@b.ru, MAILTO:c@d.ru?subject=x&cc=e@f.ru <mailto:g@h.ru>', ['a@b.ru', 'c@d.ru', 'g@h.ru']],
  ['\u200ba@b\u200b.ru\ufeff,\u00a0c@d.ru\u2060', ['a@b.ru', 'c@d.ru']],
  ['petr@a.ru Иван <a@b.ru>', ['petr@a.ru', 'a@b.ru']],
  ['x@y.ru<a@b.ru>', ['x@y.ru<a@b.ru>']],
  [' ,; \n', []],
])('readAddresses reads every address of the pasted text %j', (text, addresses) => {
  expect(readAddresses(text)).toEqual(addresses);
});

test.each(['', '@', '<', '"', '@<', '<a@b.ru>'])(
  'readAddresses reads long prose that ends with %j at once',
  (end) => {
    const begun = performance.now();
    readAddresses(`${'слово '.repeat(20_000)}${end}`);
    expect(performance.now() - begun).toBeLessThan(500);
  },
);
