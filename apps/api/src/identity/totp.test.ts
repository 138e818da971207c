import { expect, test } from 'vitest';
import { newRecoveryCodes, plainCode } from './recovery.ts';
import { enrolmentUri, newSecret, stepOf } from './totp.ts';

// The codes of RFC 6238 appendix B (SHA-1, secret '12345678901234567890'), shortened from 8 digits to the last 6 digits.
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

test.each(vectors)('stepOf finds the time step of the RFC 6238 code for second %i', (seconds, code) => {
  expect(stepOf(secret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
});

test('a code is accepted one time step early or late, but not two time steps', () => {
  const [seconds, code] = [1_234_567_890, '005924'];
  const step = Math.floor(seconds / 30);
  const steps = [-2, -1, 0, 1, 2].map((ahead) => stepOf(secret, code, (seconds + ahead * 30) * 1000));
  expect(steps).toEqual([null, step, step, step, null]);
});

test.each(['', '28708', '2870820', 'abcdef', '２８７０８２'])('the input %j matches no time step', (code) => {
  expect(stepOf(secret, code, 59_000)).toBeNull();
});

test('each new secret has 160 bits and is unique', () => {
  const secrets = Array.from({ length: 50 }, newSecret);
  expect(new Set(secrets).size).toBe(50);
  for (const each of secrets) expect(each).toMatch(/^[A-Z2-7]{32}$/);
});

test('the otpauth URI contains the product, the account and the secret', () => {
  const uri = new URL(enrolmentUri(secret, 'anna@romashka.ru'));
  expect([uri.protocol, uri.host]).toEqual(['otpauth:', 'totp']);
  expect(decodeURIComponent(uri.pathname)).toBe('/Пропуск:anna@romashka.ru');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Пропуск',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('a new set of recovery codes has ten codes of 80 bits without look-alike characters', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
});

test('a recovery code ignores case, spaces, hyphens and look-alike characters', () => {
  expect(plainCode(' 7k3m q9xt-2hvdw5pa ')).toBe('7K3MQ9XT2HVDW5PA');
  expect(plainCode('OIlo')).toBe('0110');
});
