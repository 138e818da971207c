import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gatewayKeys, signGatewayToken, verifyGatewayToken } from './gateway-secret.ts';

const keys = gatewayKeys('a secret of thirty-two characters');
const token = signGatewayToken(keys, { userId: 17, epoch: 3, expires: 1_800_000_000 });

test('verifying a gateway token returns the signed claims', () => {
  expect(verifyGatewayToken(keys, token)).toEqual({ userId: 17, epoch: 3, expires: 1_800_000_000 });
  const client = 'chromium-extension-0.2.0';
  const named = signGatewayToken(keys, { userId: 17, epoch: 3, expires: 1_800_000_000, client });
  expect(verifyGatewayToken(keys, named)).toEqual({ userId: 17, epoch: 3, expires: 1_800_000_000, client });
  expect(verifyGatewayToken(keys, named.replace('0.2.0', '0.3.0'))).toBeNull();
});

test('a gateway token with any character changed is invalid', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.';
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.constantFrom(...letters.split('')), (at, letter) => {
      fc.pre(token[at] !== letter);
      expect(verifyGatewayToken(keys, token.slice(0, at) + letter + token.slice(at + 1))).toBeNull();
    }),
    { numRuns: 1000 },
  );
});

test('a gateway token is invalid under the keys of another secret and under the probe key', () => {
  const other = gatewayKeys('another secret of thirty-two char');
  expect(verifyGatewayToken(other, token)).toBeNull();
  expect(verifyGatewayToken({ ...keys, token: keys.probe }, token)).toBeNull();
  expect(verifyGatewayToken(keys, keys.feed)).toBeNull();
  expect(verifyGatewayToken(keys, '')).toBeNull();
});
