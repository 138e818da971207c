import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createPairing, type Pairing } from './pairing.ts';
import { forgetRefused } from './refused-offers.ts';
import { createSession } from './session.ts';
import { openStore, type Store } from './store.ts';

/** The two accounts of the console. Codes and tokens begin with the name of their account. */
const people = { anna: 'anna@romashka.ru', mallory: 'mallory@evil.test' };
const PAGE = 'chrome-extension://us/pair.html';
let server: Server;
let origin: string;
/** The requests that the console received, each as `token method path`. */
let requests: string[];
let ended: Set<string>;
/** The state of the stubbed browser: open tabs, storage, messages to pages, opened pages. */
let tabs: Map<number, { url: string; active: boolean; windowId: number; incognito: boolean }>;
let local: Record<string, unknown>;
let outcomes: string[];
let openedPages: string[];
let closed: (tabId: number) => void;
let ring: (alarm: { name: string }) => void;
let started: () => void;
let store: Store;
let pairing: Pairing;
let pinned: string | null;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const token = (request.headers.authorization ?? 'Bearer nobody').slice(7);
    const call = `${request.method} ${request.url}`;
    let body = '';
    for await (const part of request) body += String(part);
    requests.push(`${token} ${call}`);
    const [status, answer] = reply(call, token, body);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(status === 204 ? undefined : JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

function reply(call: string, token: string, body: string): [status: number, body: unknown] {
  if (call === 'POST /api/auth/pair' || call === 'POST /api/auth/login') {
    const { code } = JSON.parse(body) as { code?: string };
    if (code === 'dead') return [410, { code: 'link_dead', message: 'Код не действует' }];
    return [200, { token: code ?? 'anna.typed' }];
  }
  if (ended.has(token)) return [401, { code: 'unauthorized', message: 'Войдите' }];
  if (call === 'DELETE /api/auth/logout') {
    ended.add(token);
    return [204, undefined];
  }
  const who = token.startsWith('anna') ? 'anna' : 'mallory';
  const at = '2026-03-02T09:30:00.000Z';
  const company = {
    id: 1,
    companyName: who === 'anna' ? 'Ромашка' : 'Зло\u202e',
    companySite: 'x.test',
    secondFactorRequired: false,
    confirmed: true,
  };
  const rest = {
    roles: [{ value: 'USER' }],
    politics: [],
    secondFactor: false,
    invitation: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
  };
  if (call === 'GET /api/me') {
    return [200, { id: 1, name: who, surname: '', email: people[who], company, ...rest }];
  }
  const gateway = { scheme: 'http', host: '127.0.0.1', port: 9 };
  const access = {
    version: 1,
    gateway,
    username: who,
    password: token,
    expiresAt: '2030-01-01T00:00:00.000Z',
  };
  return [200, { ...access, allSites: false, sites: [], bypass: [] }];
}

beforeEach(async () => {
  requests = [];
  ended = new Set();
  local = {};
  outcomes = [];
  openedPages = [];
  pinned = null;
  tabs = new Map();
  for (const id of [1, 2]) openTab(id, `${origin}/extension/pair`);
  const none = { addListener: () => {} };
  const area = {
    get: async (key: string) => structuredClone({ [key]: local[key] }),
    set: async (items: object) => void Object.assign(local, structuredClone(items)),
    remove: async (key: string) => void delete local[key],
  };
  // These tests stub the browser's extension API; all other code is real.
  Object.assign(globalThis, {
    chrome: {
      storage: { local: area },
      alarms: {
        create: async () => {},
        clear: async () => {},
        onAlarm: { addListener: (f: typeof ring) => (ring = f) },
      },
      runtime: {
        getURL: (path: string) => `chrome-extension://us/${path}`,
        onStartup: { addListener: (f: typeof started) => (started = f) },
        onInstalled: none,
      },
      tabs: {
        onRemoved: { addListener: (f: typeof closed) => (closed = f) },
        onUpdated: none,
        get: async (id: number) => tabs.get(id) ?? Promise.reject(new Error('no such tab')),
        create: async ({ url, active }: { url: string; active: boolean }) => {
          const id = 100 + tabs.size;
          openTab(id, url);
          openedPages.push(`${url.slice(PAGE.length)}${active ? ' in front' : ''}`);
          return { id };
        },
        remove: async (id: number) => {
          tabs.delete(id);
          closed(id);
        },
        sendMessage: async (id: number, { paired }: { paired: string }) =>
          void outcomes.push(`${id} ${paired}`),
      },
    },
  });
  store = openStore(async () => {});
  const session = createSession(
    store,
    async () => pinned,
    async () => 'chromium-extension-0.2.0',
  );
  pairing = createPairing(session, async () => pinned);
  await session.signIn(origin, { email: people.anna, password: 'correct horse' });
  requests = [];
});

function openTab(id: number, url: string): void {
  tabs.set(id, { url, active: true, windowId: 1, incognito: false });
}
const token = async () => (await store.get()).token;
const logouts = () => requests.filter((call) => call.endsWith('/logout'));

describe('a pairing offer of another account', () => {
  test('the pairing question names the offered account and its company before the session changes', async () => {
    await pairing.offer(origin, 'mallory.1', 1);
    expect(await pairing.question()).toEqual({
      id: expect.any(String),
      origin,
      // The reply's schema escapes a bidirectional control character in the name.
      account: { name: 'mallory', email: people.mallory, company: 'Зло\\u202e' },
    });
    expect([await token(), logouts(), openedPages]).toEqual(['anna.typed', [], [' in front']]);
  });

  test.each(['a refusal', 'closing the tab', 'its time limit', 'a new start of the browser'])(
    '%s ends a pairing question and the offered session, and keeps the current session',
    async (way) => {
      await pairing.offer(origin, 'mallory.1', 1);
      const id = (await pairing.question())?.id ?? '';
      const ways: Record<string, () => unknown> = {
        'a refusal': () => pairing.answer(id, false),
        'closing the tab': () => closed(102),
        'its time limit': () => ring({ name: 'question' }),
        'a new start of the browser': () => started(),
      };
      await ways[way]?.();
      await expect.poll(() => logouts()).toEqual(['mallory.1 DELETE /api/auth/logout']);
      expect([await pairing.question(), await token(), ended.has('anna.typed')]).toEqual([
        null,
        'anna.typed',
        false,
      ]);
      expect(outcomes).toEqual([way === 'its time limit' ? '1 failed' : '1 refused']);
      await expect(pairing.answer(id, true)).rejects.toThrow(/устарел/);
    },
  );

  test('the acceptance of a pairing offer ends the old session', async () => {
    await pairing.offer(origin, 'mallory.1', 1);
    await pairing.answer((await pairing.question())?.id ?? '', true);
    expect([await token(), logouts(), outcomes]).toEqual([
      'mallory.1',
      ['anna.typed DELETE /api/auth/logout'],
      ['1 yes'],
    ]);
  });

  test('the old session stays when the user accepts a session that has already ended', async () => {
    await pairing.offer(origin, 'mallory.1', 1);
    ended.add('mallory.1');
    await expect(pairing.answer((await pairing.question())?.id ?? '', true)).rejects.toThrow('Войдите');
    expect([await token(), ended.has('anna.typed'), outcomes]).toEqual(['anna.typed', false, ['1 failed']]);
  });
});

describe('a pairing offer', () => {
  test('a second pairing offer neither replaces an open question nor takes its focus', async () => {
    await pairing.offer(origin, 'mallory.1', 1);
    const before = await pairing.question();
    for (let i = 0; i < 200; i++) await pairing.offer(origin, `mallory.more${i}`, 2);
    // A reload of the offering page keeps the question open.
    await pairing.offer(origin, 'mallory.1', 1);
    expect(await pairing.question()).toEqual(before);
    expect([openedPages, new Set(outcomes)]).toEqual([[' in front'], new Set(['2 failed'])]);
    expect(requests.filter((call) => call.endsWith('/pair'))).toHaveLength(1);
  });

  test('the extension ignores pairing offers of a refused origin for five minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      for (const way of ['no', 'closing the tab', 'the time'] as const) {
        await forgetRefused();
        const opened = openedPages.length;
        await pairing.offer(origin, `mallory.${way}`, 1);
        expect(openedPages).toHaveLength(opened + 1);
        const id = (await pairing.question())?.id ?? '';
        if (way === 'no') await pairing.answer(id, false);
        else if (way === 'closing the tab') closed(Math.max(...tabs.keys()));
        else {
          vi.setSystemTime(Date.now() + 2 * 60_000);
          ring({ name: 'question' });
        }
        await expect.poll(() => ended).toContain(`mallory.${way}`);
        requests = [];
        outcomes = [];
        for (let i = 0; i < 200; i++) await pairing.offer(origin, `mallory.again${i}`, 1 + (i % 2));
        expect([openedPages.length, requests, new Set(outcomes)]).toEqual([
          opened + 1,
          [],
          new Set(['1 refused', '2 refused']),
        ]);
        vi.setSystemTime(Date.now() + 5 * 60_000 + 1);
        await pairing.offer(origin, `mallory.late ${way}`, 1);
        expect(openedPages).toHaveLength(opened + 2);
        await pairing.answer((await pairing.question())?.id ?? '', false);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test('pairing offers from many origins open at most three questions', async () => {
    const answer = server.listeners('request')[0] as RequestListener;
    for (let i = 0; i < 20; i++) {
      const evil = createServer(answer).listen(0, '127.0.0.1');
      await once(evil, 'listening');
      const other = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
      openTab(1, `${other}/extension/pair`);
      await pairing.offer(other, `mallory.${i}`, 1);
      const question = await pairing.question();
      if (question !== null) await pairing.answer(question.id, false);
      evil.close();
    }
    expect(openedPages).toHaveLength(3);
  });

  test('two simultaneous pairing offers open one question and leave no extra session', async () => {
    await Promise.all([pairing.offer(origin, 'mallory.1', 1), pairing.offer(origin, 'mallory.2', 2)]);
    expect([openedPages.length, ended.size, outcomes.length]).toEqual([1, 1, 1]);
  });

  test('a pairing offer of the signed-in account reports success and keeps the session', async () => {
    await pairing.offer(origin, 'anna.2', 1);
    expect([await token(), logouts(), outcomes, openedPages]).toEqual([
      'anna.typed',
      ['anna.2 DELETE /api/auth/logout'],
      ['1 yes'],
      ['#already in front'],
    ]);
    expect(await pairing.question()).toBeNull();
    // The logout of the offered session revoked every gateway password of the user, so the extension
    // fetches a new one.
    expect(requests.at(-1)).toBe('anna.typed GET /api/me/access?client=chromium-extension-0.2.0');
  });

  test('a pairing offer of the signed-in account opens a question when the current session has ended', async () => {
    ended.add('anna.typed');
    await pairing.offer(origin, 'anna.2', 1);
    expect((await pairing.question())?.account?.email).toBe(people.anna);
  });

  test('a pairing offer with an expired code or from a closed page opens no question', async () => {
    await pairing.offer(origin, 'dead', 1);
    expect([openedPages, outcomes]).toEqual([[], ['1 failed']]);
    tabs.delete(2);
    await pairing.offer(origin, 'mallory.1', 2);
    expect([openedPages, [...ended]]).toEqual([[], ['mallory.1']]);
  });

  test('the pairing question opens in the foreground only when the tab of the offer is in the foreground', async () => {
    tabs.set(1, { url: `${origin}/extension/pair`, active: false, windowId: 1, incognito: false });
    await pairing.offer(origin, 'mallory.1', 1);
    expect(openedPages).toEqual(['']);
  });

  test('a pairing offer of a console that the browser policy does not name causes no call to that console', async () => {
    pinned = 'https://pass.example.ru';
    await pairing.offer(origin, 'mallory.1', 1);
    const question = await pairing.question();
    expect([question?.account, requests]).toEqual([null, []]);
    await expect(pairing.answer(question?.id ?? '', true)).rejects.toThrow(/устарел/);
    expect(await token()).toBe('anna.typed');
  });

  test('the extension reports the outcome of a pairing only to the origin of the offer', async () => {
    await pairing.offer(origin, 'mallory.1', 1);
    openTab(1, 'https://evil.test/extension/pair');
    await pairing.answer((await pairing.question())?.id ?? '', false);
    expect(outcomes).toEqual([]);
  });
});
