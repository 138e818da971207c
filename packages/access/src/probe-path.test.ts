import { expect, test } from 'vitest';
import { holdsSecret, mayAct, startPathOf } from './probe-path.ts';

test.each([
  '/logout',
  '/user/sign-out/',
  '/items/5/delete',
  '/deleteItem/5',
  '/cron.php',
  '/shop/add_to_cart',
  '/%D0%B2%D1%8B%D1%85%D0%BE%D0%B4',
  '/backup/site.zip',
  '/api/callback',
  '/Account/LogOff',
  '/Account/SignOut',
  '/log_out',
  '/users/sign_out',
  '/XMLDelete',
  '/logout1',
  '/%6cogout',
  '/%256cogout',
  '/%E2%FB%F5%EE%E4',
  `/${encodeURIComponent('выйти'.normalize('NFD'))}`,
])('a path with a word for an action is recognized: %s', (path) => {
  expect(mayAct(path)).toBe(true);
});

test.each(['/', '/orders', '/blog/logo.png', '/payments/report', '/runtime.js', '/1c/base/ru_RU/'])(
  'a path without a word for an action may be requested: %s',
  (path) => {
    expect(mayAct(path)).toBe(false);
  },
);

test.each([
  '/share/7b0d7d5e-6c0f-4c0e-9f5e-2f8f2d6a1c11',
  '/s/0123456789abcdef0123',
  '/d/aB3-x9Kq_LmN0pQrStUv',
  '/invite/aB3-x9Kq_LmN0pQrStUv/page',
])('a path with a UUID or 20 digits of hex or base64url holds a secret: %s', (path) => {
  expect(holdsSecret(path)).toBe(true);
});

test.each([
  '/',
  '/assets/index-0123456789abcdef0123.js',
  '/news/annual-report-of-the-company',
  '/wp-content/',
])('words, and the long name of a static file, do not count as a secret: %s', (path) => {
  expect(holdsSecret(path)).toBe(false);
});

test.each([
  ['https://1c.example.ru/base/?x#y', '/base/'],
  ['1c.example.ru/База/ru', '/%D0%91%D0%B0%D0%B7%D0%B0/ru'],
  ['/base/../admin', '/admin'],
  ['crm.example.ru:8443/login', '/login'],
  ['https://crm.example.ru//host/x', '//host/x'],
  ['https://crm.example.ru/', null],
  ['crm.example.ru', null],
  ['crm.example.ru?next=/login', null],
  [`/${'x'.repeat(200)}`, null],
  [`/${'ж'.repeat(150)}`, `/${'%D0%B6'.repeat(150)}`],
  ['/%d0%b6', '/%D0%B6'],
])('the start path of %s is %s', (raw, path) => {
  expect(startPathOf(raw)).toBe(path);
});
