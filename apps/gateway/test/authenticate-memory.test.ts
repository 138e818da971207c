import { gatewayKeys, signGatewayToken } from '@propusk/access/gateway-secret';
import { SECRET } from '@propusk/test-kit/gateway/world';
import { heapLeftBy } from '@propusk/test-kit/heap';
import { quickOrSoak } from '@propusk/test-kit/threat-case';
import { expect, test } from 'vitest';
import { createAuthenticate } from '../src/policy/authenticate.ts';

const keys = gatewayKeys(SECRET);
const basic = (userId: number, expires: number) => {
  const token = signGatewayToken(keys, { userId, epoch: 1, expires, client: `${userId}`.padEnd(40, 'x') });
  return `Basic ${Buffer.from(`u${userId}:${token}`).toString('base64')}`;
};
/** A substring, as the HTTP parser returns a header: in V8 it keeps the whole request head of 8 KB in memory. */
const slice = (header: string) => `${'x'.repeat(8_000)}${header}`.slice(8_000);

test('thousands of spellings of one valid credential keep less than 2 MB on the heap', () => {
  const authenticate = createAuthenticate(keys);
  const header = basic(5, 2_000_000_000);
  const left = heapLeftBy(() => {
    for (let i = 0; i < quickOrSoak(8_000, 100_000); i++) {
      const spaces = ' '.repeat(1 + (i % 30_000));
      const scheme = i % 2 === 0 ? 'Basic' : 'bAsIC';
      expect(authenticate(header.replace('Basic ', scheme + spaces))).toMatchObject({ userId: 5 });
    }
  });
  expect(left).toBeLessThan(2e6);
});

test('100,000 distinct valid tokens keep less than 17 MB on the heap', () => {
  const authenticate = createAuthenticate(keys);
  const left = heapLeftBy(() => {
    // The cache holds at most 32,768 entries: 98,303 fill it, empty it and fill it again.
    for (let i = 0; i < 98_303; i++) authenticate(slice(basic(9_007_199_254_740_000 - i, 2_000_000_000)));
  });
  expect(left).toBeLessThan(17e6);
});

test('a cached header is authenticated many times faster than a new spelling of it', () => {
  const authenticate = createAuthenticate(keys);
  const [usual, other] = [basic(5, 2_000_000_000), basic(5, 2_000_000_000).replace('Basic', 'basic')];
  const time = (header: string) => {
    const started = performance.now();
    for (let i = 0; i < 5_000; i++) authenticate(header);
    return performance.now() - started;
  };
  time(usual);
  time(other);
  expect(time(other) / time(usual)).toBeGreaterThan(3);
});
