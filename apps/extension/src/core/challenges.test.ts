import type { GatewayAccess } from '@propusk/contract/access';
import { describe, expect, test } from 'vitest';
import { createChallenges } from './challenges.ts';

const access = (password: string, host = 'gate.propusk.test'): GatewayAccess => ({
  version: 1,
  gateway: { scheme: 'http', host, port: 3128 },
  username: 'u42',
  password,
  expiresAt: '2030-01-01T00:00:00.000Z',
  allSites: false,
  sites: [],
  bypass: [],
});
const challenge = (requestId: string, host = 'gate.propusk.test', port = 3128, isProxy = true) => ({
  requestId,
  isProxy,
  challenger: { host, port },
});
const stored = async () => access('stored');
const fresh = async () => access('fresh');
const credentials = (password: string) => ({ authCredentials: { username: 'u42', password } });

describe('challenges', () => {
  test('answers challenges of our gateway with the stored password, then a fresh one, then a cancel', async () => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1'))).toEqual(credentials('stored'));
    expect(await answer(challenge('1'))).toEqual(credentials('fresh'));
    for (let again = 0; again < 40; again++) expect(await answer(challenge('1'))).toEqual({ cancel: true });
    // Each request has its own count.
    expect(await answer(challenge('2'))).toEqual(credentials('stored'));
  });

  test.each([
    ['a site', 'gate.propusk.test', 3128, false],
    ['a foreign proxy', 'proxy.evil.test', 3128, true],
    ['another port of our gateway', 'gate.propusk.test', 3129, true],
    ['a host name that begins like our gateway', 'gate.propusk.test.evil.test', 3128, true],
  ])('sends no credentials to %s', async (_, host, port, isProxy) => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1', host, port, isProxy))).toEqual({});
  });

  test('recognises our gateway in any letter case, and IPv6 with or without brackets', async () => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1', 'Gate.Propusk.TEST'))).toEqual(credentials('stored'));
    const six = createChallenges(async () => access('stored', '[2001:db8::1]'), fresh);
    expect(await six(challenge('1', '2001:db8::1'))).toEqual(credentials('stored'));
  });

  test('cancels the second challenge when the api has no newer password', async () => {
    for (const none of [stored, async () => null]) {
      const answer = createChallenges(stored, none);
      expect(await answer(challenge('1'))).toEqual(credentials('stored'));
      expect(await answer(challenge('1'))).toEqual({ cancel: true });
    }
  });

  test('sends no credentials when nobody is signed in', async () => {
    expect(await createChallenges(async () => null, fresh)(challenge('1'))).toEqual({});
  });

  test('remembers a bounded number of challenged requests, and drops the oldest first', async () => {
    const answer = createChallenges(stored, fresh);
    for (let i = 0; i < 5_000; i++) await answer(challenge(String(i)));
    expect(await answer(challenge('4999'))).toEqual(credentials('fresh'));
    expect(await answer(challenge('0'))).toEqual(credentials('stored'));
  });
});
