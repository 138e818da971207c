import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { namingLines, readSites } from './read-sites.ts';

test.each([
  ['crm.example.ru', ['crm.example.ru']],
  [' https://a.ru/\nhttps://b.ru/x\r\n\n c.ru ', ['https://a.ru/', 'https://b.ru/x', 'c.ru']],
  ['a.ru, b.ru;c.ru,d.ru', ['a.ru', 'b.ru', 'c.ru', 'd.ru']],
  ['https://a.ru/,https://b.ru/; a.ru', ['https://a.ru/', 'https://b.ru/', 'a.ru']],
  ['https://a.ru/x,y;z?q=1,2', ['https://a.ru/x,y;z?q=1,2']],
  ['a.ru\ta.ru', ['a.ru']],
  [' ,; \n', []],
])('readSites reads every address of the pasted text %j once', (text, addresses) => {
  expect(readSites(text)).toEqual(addresses);
});

test('a refused list names each refused address in the error of the field', () => {
  const fields = { '1.address': 'Это почта', '2.politics': 'Нет политики', '9.address': 'Занят' };
  const refused = new ApiError('bad_input', 'Проверьте', 400, fields);
  expect(namingLines(refused, ['a.ru', 'x@b.ru', 'c.ru'])).toMatchObject({
    code: 'bad_input',
    fields: { address: 'x@b.ru: Это почта\nc.ru: Нет политики\n: Занят' },
  });
  const other = new ApiError('network', 'Нет связи', 0);
  expect(namingLines(other, ['a.ru'])).toBe(other);
});
