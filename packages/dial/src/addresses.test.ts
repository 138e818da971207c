import { expect, test } from 'vitest';
import { addressAllowed, parseNetworks } from './addresses.ts';

const nothing = { v4: [], v6: [] };

// Addresses that must be allowed. dial.net.test.ts proves the refused ones on sockets.
test.each([
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '168.63.129.15',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.0.1.1',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '203.0.112.255',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2003::1',
  '2606:4700::1111',
  '2a00:1450:4001::1',
  '3ffd:ffff::1',
])('addressAllowed() accepts the public address %s', (address) => {
  expect(addressAllowed(address, nothing)).toBe(true);
});

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.0.0.1', '10.0.0.0/8', true],
  ['192.168.0.1', '10.0.0.0/8', false],
  ['::ffff:10.1.2.3', '10.0.0.0/8', false],
  ['fd00::5', '10.0.0.0/8,fd00::/8', true],
  ['fe80::5', '10.0.0.0/8,fd00::/8', false],
  ['::1', '::1/128', true],
  ['::2', '::1/128', false],
])('addressAllowed() for %s with the exempt networks %s: %s', (address, networks, allowed) => {
  expect(addressAllowed(address, parseNetworks(networks) ?? nothing)).toBe(allowed);
});

test.each(['', 'localhost', '127.1', '0x7f000001', '2130706433', '[::1]', '1.1.1.1 ', '1.1.1.1:80'])(
  'addressAllowed() refuses text that is not an address: %s',
  (text) => expect(addressAllowed(text, nothing)).toBe(false),
);

test.each([
  '',
  '10.0.0.0',
  '10.0.0.0/33',
  'fd00::/129',
  '10.0.0.0/',
  '10/8',
  '10.0.0.0/8/8',
  'a/8',
  '10.0.0.0/8,',
  'fe80::%lo/10',
  '10.0.0.0/-1',
])('parseNetworks() rejects the invalid network %s', (text) => expect(parseNetworks(text)).toBeNull());
