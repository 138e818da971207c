import { gatewayKeys } from '@propusk/access/gateway-secret';
import { credentials, OTHER_SECRET, SECRET } from '@propusk/test-kit/gateway/world';
import { expect, test } from 'vitest';
import { createAuthenticate } from './authenticate.ts';

const keys = gatewayKeys(SECRET);
const authenticate = createAuthenticate(keys);
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test.each([
  basic(credentials(5)),
  basic(credentials(5)).replace('Basic', 'bASIC '),
  `${basic(credentials(5))} `,
])('accepts valid credentials: %s', (header) =>
  expect(authenticate(header)).toMatchObject({ userId: 5, epoch: 1 }),
);

const good = credentials(5);
test.each([
  [undefined, 'no_credentials'],
  ['', 'no_credentials'],
  ['Basic', 'bad_credentials'],
  ['Basic !!!', 'bad_credentials'],
  [`Bearer ${good}`, 'bad_credentials'],
  [basic(''), 'bad_credentials'],
  [basic('u5'), 'bad_credentials'],
  [basic(':'), 'bad_credentials'],
  [basic(good.replace('u5', 'u6')), 'bad_credentials'],
  [basic(good.replace('u5', 'U5')), 'bad_credentials'],
  [basic(good.replace('u5', 'u05')), 'bad_credentials'],
  [basic(good.replace(':5.', ':6.').replace('u5', 'u6')), 'bad_credentials'],
  [basic(`${good}\n`), 'bad_credentials'],
  [basic(credentials(5, { secret: OTHER_SECRET })), 'bad_credentials'],
])('refuses credentials %s as %s', (header, reason) => {
  expect(() => authenticate(header)).toThrow(reason);
});

test('refuses each of 1,000 altered tokens', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  for (let i = 0; i < 1_000; i++) {
    const at = 3 + (i % (good.length - 3));
    const letter = letters[(letters.indexOf(good[at] ?? '') + 1 + (i % 63)) % letters.length] ?? '';
    if (letter === good[at]) continue;
    const changed = good.slice(0, at) + letter + good.slice(at + 1);
    expect(() => authenticate(basic(changed)), changed).toThrow('bad_credentials');
  }
});
