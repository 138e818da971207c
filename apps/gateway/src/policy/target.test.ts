import { expect, test } from 'vitest';
import { isAbsoluteForm, readAbsoluteForm } from './target.ts';

test.each([
  ['http://a.test', 'a.test', 80, '/'],
  ['http://a.test/', 'a.test', 80, '/'],
  ['HTTP://A.Test:80/x', 'a.test', 80, '/x'],
  ['http://a.test:8080?q=http://b.test/', 'a.test:8080', 8080, '/?q=http://b.test/'],
  ['http://a.test:/x', 'a.test', 80, '/x'],
  ['http://a.test./a/../b//c%2F', 'a.test', 80, '/a/../b//c%2F'],
])('readAbsoluteForm() parses %s', (url, authority, port, path) => {
  expect(readAbsoluteForm(url)).toMatchObject({ host: authority.replace(/:.*/, ''), port, authority, path });
});

test.each([
  ['http://a.test@b.test/', 'bad_request'],
  ['http://a.test:80@b.test/', 'bad_request'],
  ['https://a.test/', 'bad_request'],
  ['http:a.test', 'bad_request'],
  ['http:/a.test', 'bad_request'],
  ['http://a.test/#fragment', 'bad_request'],
  ['http:///a.test', 'bad_host'],
  ['http://a.test:99999/', 'bad_host'],
  ['http://a.test:8x/', 'bad_host'],
  ['http://a.test\\@b.test/', 'bad_request'],
  ['http://a.test\\.b.test/', 'bad_host'],
  ['http://a%2Etest/', 'bad_host'],
  ['http://①②⑦.0.0.1/', 'bad_host'],
])('readAbsoluteForm() refuses %s as %s', (url, reason) => {
  expect(() => readAbsoluteForm(url)).toThrow(reason);
});

test.each([
  ['/', false],
  ['*', false],
  ['//a.test/', false],
  ['http://a.test', true],
  ['HTTPS://a.test', true],
])('isAbsoluteForm() answers for %s: %s', (text, expected) => expect(isAbsoluteForm(text)).toBe(expected));
