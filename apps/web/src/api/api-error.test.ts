import { describe, expect, it } from 'vitest';
import { refusal } from './api-error.ts';
import { address } from './call.ts';

describe('an ApiError made from a failed reply', () => {
  it('an error keeps the code and the message of the server', () => {
    const body = JSON.stringify({
      code: 'bad_input',
      message: 'Проверьте',
      fields: { address: 'Нужен сайт' },
    });
    expect(refusal(400, body)).toMatchObject({
      code: 'bad_input',
      message: 'Проверьте',
      status: 400,
      fields: { address: 'Нужен сайт' },
    });
  });
  it.each(['', '<html>Bad gateway</html>', 'null', '[]', '{"code":"internal"}', '{"code":1,"message":"x"}'])(
    "an error takes the specification's sentence when the reply's body has no message: %s",
    (body) => {
      expect(refusal(502, body)).toMatchObject({
        code: 'internal',
        message: 'Ошибка на стороне сервера',
        status: 502,
      });
    },
  );
  it('an error drops field errors that are not strings', () => {
    const body = JSON.stringify({ code: 'bad_input', message: 'Проверьте', fields: { a: 1, b: 'два' } });
    expect(refusal(400, body).fields).toEqual({ b: 'два' });
  });
});

describe('the URL of a call', () => {
  it('address() puts the parameters into the path of a call', () => {
    expect(address('/users/:id', { id: 7 })).toBe('/api/users/7');
    expect(address('/domain-allowed/address/:address', { address: 'a/b' })).toBe(
      '/api/domain-allowed/address/a%2Fb',
    );
  });
  it('address() leaves empty values out of the query of a call', () => {
    expect(address('/proxy', {}, { page: 1, take: 10, name: '' })).toBe('/api/proxy?page=1&take=10');
    expect(address('/proxy', {}, { name: undefined })).toBe('/api/proxy');
    expect(address('/proxy', {}, { name: 'а&б' })).toBe('/api/proxy?name=%D0%B0%26%D0%B1');
  });
});
