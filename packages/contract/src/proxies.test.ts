import { expect, test } from 'vitest';
import { ProxyInput, proxyAddress } from './proxies.ts';

const accepts = (host: string) =>
  ProxyInput.safeParse({ host, port: 3128, username: 'login', password: 'secret' }).success;

test.each([
  'proxy.example.ru',
  'PROXY.example.ru',
  'прокси.рф',
  'proxy_1.example.ru',
  '192.0.2.7',
  '2001:db8::7',
  '[2001:db8::7]',
  'proxy',
])('the contract accepts the proxy host %s', (host) => expect(accepts(host)).toBe(true));

// `URL` and the DNS resolver read each of these texts as different hosts, so a password could be sent to the wrong host.
test.each([
  '16909060',
  '0x1020304',
  '1.2.772',
  '1.2.3.4.',
  '01.2.3.4',
  '１.2.3.4',
  'example.ru:80',
  'example.ru:443',
  '1.2.3.4:80',
  'a..b.ru',
  '.a.ru',
])('the contract refuses the proxy host %s', (host) => expect(accepts(host)).toBe(false));

test('proxyAddress returns one address for all spellings of a host and port', () => {
  const same = (a: string, b: string) => proxyAddress(a, 3128) === proxyAddress(b, ' 3128 ');
  expect(same('proxy.example.ru', 'PROXY.Example.ru')).toBe(true);
  expect(same('прокси.рф', 'xn--h1adldfi.xn--p1ai')).toBe(true);
  expect(same('2001:db8::7', '[2001:DB8:0:0::7]')).toBe(true);
  expect(same('proxy.example.ru', 'proxy.example.ru.')).toBe(false);
  expect(same('proxy.example.ru', 'www.proxy.example.ru')).toBe(false);
  expect(proxyAddress('proxy.example.ru', 3128)).not.toBe(proxyAddress('proxy.example.ru', 3129));
});
