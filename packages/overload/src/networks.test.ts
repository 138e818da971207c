import { networkOf, subscriberOf } from '@propusk/overload/networks';
import { describe, expect, test } from 'vitest';

describe('the subscriber of an IP address', () => {
  test.each([
    ['192.0.2.7', '::ffff:192.0.2.7'],
    ['192.0.2.7', '::FFFF:c000:0207'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002::2'],
    ['fe80::1%eth0', 'fe80::2'],
    ['nobody', '192.0.2.7:1234'],
  ])('the rate limit treats %s and %s as one client', (one, other) => {
    expect(subscriberOf(one)).toBe(subscriberOf(other));
  });

  test.each([
    ['192.0.2.7', '192.0.2.8'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['::1', '127.0.0.1'],
    ['192.0.2.7', 'nobody'],
  ])('the rate limit treats %s and %s as two clients', (one, other) => {
    expect(subscriberOf(one)).not.toBe(subscriberOf(other));
  });
});

test.each([
  ['192.0.2.7', '192.0.2.200', true],
  ['192.0.2.7', '192.0.3.7', false],
  ['2001:db8:1:2::1', '2001:db8:1:ff::1', true],
  ['2001:db8:1:2::1', '2001:db8:1:102::1', false],
])('a network is a /24 or a /56, so whether %s and %s share one is %s', (one, other, shared) => {
  expect(networkOf(one) === networkOf(other)).toBe(shared);
});
