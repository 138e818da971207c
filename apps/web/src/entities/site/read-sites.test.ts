import { expect, test } from 'vitest';
import { ApiError } from '../../api/api-error.ts';
import { namingFields, readSites } from './read-sites.ts';

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
  const fields = {
    '1.address': 'Это почта',
    '2.politics': 'Нет политики',
    '9.address': 'Занят',
    '0.newPolicy.name': 'Имя',
  };
  const refused = new ApiError('bad_input', 'Проверьте', 400, fields);
  expect(namingFields(refused, ['a.ru', 'x@b.ru', 'c.ru'])).toMatchObject({
    code: 'bad_input',
    fields: { address: 'x@b.ru: Это почта\n: Занят', openTo: 'Нет политики\nИмя' },
  });
  const single = new ApiError('site_exists', 'Есть', 409, { address: 'a.ru уже в списке' });
  expect(namingFields(single, ['a.ru'])).toMatchObject({ fields: { address: 'a.ru уже в списке' } });
  const other = new ApiError('network', 'Нет связи', 0);
  expect(namingFields(other, ['a.ru'])).toMatchObject({ code: 'network', message: 'Нет связи' });
});
