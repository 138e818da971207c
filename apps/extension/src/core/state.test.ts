import { createRoute } from '@propusk/access/pac-route';
import { describe, expect, test } from 'vitest';
import { consoleOrigin, isExposed } from './api.ts';
import {
  gatewayAway,
  isSignedInAs,
  type Refusal,
  readState,
  refusalOf,
  refusalOfSite,
  type State,
  signedOut,
  signOut,
  timesOfSite,
  withAccess,
  withOpened,
  withRefusal,
} from './state.ts';
import { addressOf } from './tabs.ts';

const refusal: Refusal = { kind: 'refused', message: 'Нет.', advice: null };
const access = (version: number): NonNullable<State['access']> => ({
  version,
  gateway: { scheme: 'https', host: 'gate.propusk.test', port: 443 },
  username: 'u42',
  password: 'secret',
  expiresAt: '2030-01-01T00:00:00.000Z',
  allSites: false,
  sites: ['crm.example.ru'],
  bypass: [],
});
const signedIn: State = {
  ...signedOut,
  console: 'https://pass.example.ru',
  token: 'token',
  person: { email: 'anna@romashka.ru', name: 'Анна', company: 'Ромашка' },
  access: access(1),
};

describe('State', () => {
  test('readState restores a stored state, and treats one without a session as signed out', () => {
    expect(readState(JSON.parse(JSON.stringify(signedIn)))).toEqual(signedIn);
    for (const stored of [undefined, null, 1, {}]) expect(readState(stored)).toEqual(signedOut);
    const ended = { ...signedOut, console: 'https://pass.example.ru', problem: 'Вход завершён.' };
    expect(readState(ended)).toEqual(ended);
    for (const broken of [{ token: 1 }, { console: {} }]) {
      const { token, access: left, person, refusals } = readState({ ...signedIn, ...broken });
      expect([token, left, person, refusals]).toEqual([null, null, null, {}]);
    }
  });

  /** The stored state of version 0.2.0 after a sign-in. Access to its site has not begun yet, and the gateway refused the site. */
  const stored = {
    console: 'https://pass.example.ru',
    token: 'token',
    person: { email: 'anna@romashka.ru', name: 'Анна', company: 'Ромашка' },
    access: {
      version: 7,
      gateway: { scheme: 'https', host: 'gate.propusk.test', port: 443 },
      username: 'u42',
      password: 'secret',
      expiresAt: '2030-01-01T00:00:00.000Z',
      allSites: false,
      sites: ['crm.example.ru', '*.wiki.example.ru'],
      bypass: ['pass.example.ru'],
      times: [{ site: 'crm.example.ru', open: false, until: '2029-01-01T06:00:00.000Z' }],
    },
    problem: null,
    consoleAway: false,
    gatewayAway: false,
    proxyHeldBy: null,
    refusals: {
      'crm.example.ru': {
        kind: 'refused',
        message: 'Ваш доступ к этому сайту ещё не начался.',
        advice: null,
        until: '2029-01-01T06:00:00.000Z',
      },
    },
  };

  test('a state that version 0.2.0 stored is read unchanged, and a field of a newer version is ignored', () => {
    expect(readState(structuredClone(stored))).toEqual(stored);
    expect(readState({ ...stored, fromTheFuture: { a: 1 } })).toEqual(stored);
  });

  test.each(Object.keys(stored).filter((name) => name !== 'console' && name !== 'token'))(
    'a stored state whose field %s is missing or invalid stays signed in and keeps its other fields',
    (name) => {
      const { [name as keyof State]: _, ...rest } = stored;
      const expected = { ...stored, [name]: signedOut[name as keyof State] };
      expect(readState(rest)).toEqual(expected);
      expect(readState({ ...rest, [name]: 42 })).toEqual(expected);
    },
  );

  test('the session and the access stay when a stored refusal is invalid or the stored account has no company', () => {
    const refusals = { 'crm.example.ru': { kind: 'unknown' } };
    expect(readState({ ...stored, refusals })).toEqual({ ...stored, refusals: {} });
    const { company: _, ...person } = stored.person;
    expect(readState({ ...stored, person })).toEqual({ ...stored, person: { ...person, company: null } });
  });

  test('isSignedInAs compares console and email', () => {
    const anna = { email: 'Anna@Romashka.ru', name: '', company: null };
    expect(isSignedInAs(signedIn, 'https://pass.example.ru', anna)).toBe(true);
    expect(isSignedInAs(signedIn, 'https://evil.test', anna)).toBe(false);
    expect(isSignedInAs(signedIn, 'https://pass.example.ru', { ...anna, email: 'mallory@evil.test' })).toBe(
      false,
    );
    expect(isSignedInAs(signOut(signedIn), 'https://pass.example.ru', anna)).toBe(false);
  });

  test('signOut keeps the address of the console and removes every secret', () => {
    const after = signOut(withRefusal(signedIn, 'crm.example.ru', refusal), 'Вход завершён.');
    expect(after).toEqual({ ...signedOut, console: 'https://pass.example.ru', problem: 'Вход завершён.' });
    expect(JSON.stringify(after)).not.toMatch(/secret|token":"|anna/);
  });

  test('withAccess clears the stored refusals for a new policy version, and keeps them for the same version', () => {
    const refused = withRefusal(signedIn, 'crm.example.ru', refusal);
    expect(withAccess(refused, access(1)).refusals).toEqual({ 'crm.example.ru': refusal });
    expect(withAccess(refused, access(2)).refusals).toEqual({});
  });

  test('withAccess clears the refusal of a site when access to it has begun, although the policies have not changed', () => {
    const until = (ms: number) => ({ ...refusal, until: new Date(Date.now() + ms).toISOString() });
    const refused = withRefusal(
      withRefusal(signedIn, 'crm.example.ru', until(60_000)),
      'wiki.example.ru',
      until(-1),
    );
    expect(Object.keys(withAccess(refused, access(1)).refusals)).toEqual(['crm.example.ru']);
  });

  test('for access data that an older version stored without times, no times are reported', () => {
    expect(timesOfSite(readState(JSON.parse(JSON.stringify(signedIn))), 'crm.example.ru')).toBeUndefined();
  });

  test.each([
    [true, 60_000, { open: true, until: expect.any(String) }],
    [false, 60_000, { open: false, until: expect.any(String) }],
    [true, -1, { open: false }],
    [false, -1, { open: true }],
    [false, null, { open: false, until: null }],
  ])('a site with open = %s for %s ms has the state %j', (open, ms, expected) => {
    const until = ms === null ? null : new Date(Date.now() + ms).toISOString();
    const times = [{ site: 'crm.example.ru', open, until }];
    expect(timesOfSite(withAccess(signedIn, { ...access(1), times }), 'crm.example.ru')).toMatchObject(
      expected,
    );
  });

  test('a site that is closed by its times goes through the gateway', () => {
    const times = [{ site: 'crm.example.ru', open: false, until: null }];
    const { access: stored } = withAccess(signedIn, { ...access(1), times });
    expect(stored && createRoute(stored)('https://crm.example.ru/')).toBe(true);
  });

  test('the state marks the gateway as unreachable until a site opens through the gateway', () => {
    const away = withRefusal(signedIn, 'crm.example.ru', gatewayAway);
    expect(away.gatewayAway).toBe(true);
    const back = withOpened(away, 'crm.example.ru');
    expect([back.gatewayAway, back.refusals]).toEqual([false, {}]);
    // withOpened returns the same object, so the store neither writes nor redraws.
    expect(withOpened(back, 'crm.example.ru')).toBe(back);
  });

  test.each([
    ['*.example.ru', 'crm.example.ru', true],
    ['*.example.ru', 'example.ru', true],
    ['*.example.ru', 'crm.example.ru:8443', false],
    ['example.ru', 'www.example.ru', true],
    ['example.ru', 'example.ru:8443', false],
    ['example.ru', 'crm.example.ru', false],
    ['example.ru:8443', 'example.ru:8443', true],
    ['example.ru:8443', 'example.ru', false],
  ])('the listed site %s shows a refusal of the address %s: %s', (site, address, shown) => {
    const found = refusalOfSite(withRefusal(signedIn, address, refusal), site);
    expect(found?.message).toBe(shown ? (site === address ? 'Нет.' : `${address}: Нет.`) : undefined);
  });

  test.each([
    ['http://crm.example.ru./x', 'crm.example.ru'],
    ['https://crm.example.ru/', 'crm.example.ru'],
    ['https://crm.example.ru:80/', 'crm.example.ru'],
    ['http://crm.example.ru:8443/?y', 'crm.example.ru:8443'],
  ])('addressOf turns %s into %s', (url, address) => expect(addressOf(url)).toBe(address));

  test('the state keeps only the latest hundred refusals of sites', () => {
    let state = signedIn;
    for (let i = 0; i < 300; i++) state = withRefusal(state, `site${i}.example.ru`, refusal);
    expect(Object.keys(state.refusals)).toHaveLength(100);
    expect(state.refusals['site299.example.ru']).toEqual(refusal);
    expect(state.refusals['site100.example.ru']).toBeUndefined();
  });

  test('refusalOf returns "unreached" when the explanation allows access, and "refused" otherwise', () => {
    const links = { policy: null, proxy: null, links: [], mends: [] };
    expect(
      refusalOf({ ...links, allow: true, reason: null, message: 'Доступ есть.', advice: null }).kind,
    ).toBe('unreached');
    const said = { allow: false, reason: 'no_policy', message: 'Нет политики.', advice: 'Обратитесь.' };
    expect(refusalOf({ ...links, ...said })).toEqual({
      kind: 'refused',
      message: 'Нет политики.',
      advice: 'Обратитесь.',
    });
    const until = '2030-01-01T00:00:00.000Z';
    expect(refusalOf({ ...links, ...said, until })).toMatchObject({ kind: 'refused', until });
  });
});

describe('consoleOrigin and isExposed', () => {
  test.each([
    ['pass.example.ru', 'https://pass.example.ru'],
    [' https://PASS.example.ru/personal?x#y ', 'https://pass.example.ru'],
    ['http://pass.example.ru:3000/', 'http://pass.example.ru:3000'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['пропуск.рф', 'https://xn--j1ahcbdin.xn--p1ai'],
    ['', null],
    ['https://', null],
    ['https://user:password@pass.example.ru', null],
    ['javascript:alert(1)', null],
    ['два слова', null],
  ])('consoleOrigin turns the typed text "%s" into %s', (typed, origin) =>
    expect(consoleOrigin(typed)).toBe(origin),
  );

  test.each([
    ['http://pass.example.ru', true],
    ['https://pass.example.ru', false],
    ['http://localhost:3000', false],
    ['http://127.0.0.1:3000', false],
    ['http://localhost.evil.test', true],
  ])('isExposed(%s) is %s', (origin, exposed) => expect(isExposed(origin)).toBe(exposed));
});
