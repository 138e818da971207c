import { expect, test } from 'vitest';
import { storedAddress } from './stored-address.ts';

test.each([
  ['203.0.113.77', '203.0.113.0'],
  ['::ffff:203.0.113.77', '203.0.113.0'],
  ['::ffff:cb00:714d', '203.0.113.0'],
  ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff', '2001:db8:aaaa::'],
  ['2001:db8::7', '2001:db8::'],
  ['fe80::1%eth0', 'fe80::'],
  ['2002:cb00:714d::7', '2002:cb00:7100::'],
  ['::1', '::'],
  ['', ''],
  ['a name', ''],
])(
  'the network of %s is stored as "%s", again from itself, and `none` stores nothing',
  (address, network) => {
    expect(storedAddress(address, 'network')).toBe(network);
    expect(storedAddress(network, 'network')).toBe(network);
    expect(storedAddress(address, 'none')).toBe('');
    expect(storedAddress(address, 'full')).toBe(address);
  },
);
