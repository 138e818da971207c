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

describe('createChallenges', () => {
  test('proxy challenges get the stored password, then a fresh password, then a cancel', async () => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1'))).toEqual(credentials('stored'));
    expect(await answer(challenge('1'))).toEqual(credentials('fresh'));
    for (let again = 0; again < 40; again++) expect(await answer(challenge('1'))).toEqual({ cancel: true });
    // The extension counts challenges for each request separately.
    expect(await answer(challenge('2'))).toEqual(credentials('stored'));
  });

  test.each([
    ['a site', 'gate.propusk.test', 3128, false],
    ['a foreign proxy', 'proxy.evil.test', 3128, true],
    ["another port of the gateway's host", 'gate.propusk.test', 3129, true],
    ["a host whose name begins with the gateway's name", 'gate.propusk.test.evil.test', 3128, true],
  ])('the extension sends no proxy credentials to %s', async (_, host, port, isProxy) => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1', host, port, isProxy))).toEqual({});
  });

  test('the extension recognises its gateway in any letter case, and an IPv6 address with or without brackets', async () => {
    const answer = createChallenges(stored, fresh);
    expect(await answer(challenge('1', 'Gate.Propusk.TEST'))).toEqual(credentials('stored'));
    const six = createChallenges(async () => access('stored', '[2001:db8::1]'), fresh);
    expect(await six(challenge('1', '2001:db8::1'))).toEqual(credentials('stored'));
  });

  test('the extension cancels the second challenge of a request when the api has no newer password', async () => {
    for (const none of [stored, async () => null]) {
      const answer = createChallenges(stored, none);
      expect(await answer(challenge('1'))).toEqual(credentials('stored'));
      expect(await answer(challenge('1'))).toEqual({ cancel: true });
    }
  });

  test('the extension sends no proxy credentials when no user is signed in', async () => {
    expect(await createChallenges(async () => null, fresh)(challenge('1'))).toEqual({});
  });

  test('the extension remembers a bounded number of challenged requests, and drops the oldest first', async () => {
    const answer = createChallenges(stored, fresh);
    for (let i = 0; i < 5_000; i++) await answer(challenge(String(i)));
    expect(await answer(challenge('4999'))).toEqual(credentials('fresh'));
    expect(await answer(challenge('0'))).toEqual(credentials('stored'));
  });
});
