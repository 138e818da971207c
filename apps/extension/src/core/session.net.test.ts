import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSession } from './session.ts';
import { openStore } from './store.ts';

/** The console's stubbed replies, by method and path. */
const answers = new Map<string, () => Promise<[status: number, body: unknown]>>();
let server: Server;
let origin: string;
let kept: Record<string, unknown>;
/** The URLs of the received requests, with their queries. */
let asked: (string | undefined)[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    asked.push(request.url);
    const call = `${request.method} ${request.url?.split('?')[0]}`;
    const [status, body] = (await answers.get(call)?.()) ?? [404, { code: 'no_such_call', message: 'Нет' }];
    if (status === 302) response.setHeader('location', '/api/elsewhere');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const local = {
    get: async () => structuredClone(kept),
    set: async (items: object) => void Object.assign(kept, structuredClone(items)),
  };
  // These tests stub the browser's extension API; all other code is real.
  Object.assign(globalThis, { chrome: { storage: { local } } });
});
afterAll(() => server.close());

const access = {
  version: 7,
  gateway: { scheme: 'http', host: '127.0.0.1', port: 9 },
  username: 'u42',
  password: 'secret',
  expiresAt: '2030-01-01T00:00:00.000Z',
  allSites: false,
  sites: ['crm.example.ru'],
  bypass: [],
};
const person = {
  id: 42,
  name: 'Анна',
  surname: '',
  email: 'anna@romashka.ru',
  roles: [{ value: 'USER' }],
  politics: [],
  company: null,
  secondFactor: false,
  invitation: null,
  version: 1,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
};
const who = { email: 'anna@romashka.ru', password: 'correct horse' };
const always = (status: number, body: unknown) => async () => [status, body] as [number, unknown];

beforeEach(() => {
  kept = {};
  asked = [];
  answers.clear();
  answers.set('POST /api/auth/login', always(200, { token: 'token' }));
  answers.set('GET /api/me', always(200, person));
  answers.set('GET /api/me/access', always(200, access));
});

async function signedIn(pinned: string | null = null) {
  const store = openStore(async () => {});
  const session = createSession(
    store,
    async () => pinned,
    async () => 'chromium-extension-0.2.0',
  );
  await session.signIn(origin, who);
  return { store, session };
}

describe('createSession', () => {
  test('a session of the extension survives the end of the service worker', async () => {
    await signedIn();
    const state = await openStore(async () => {}).get();
    expect([state.console, state.token, state.access?.password]).toEqual([origin, 'token', 'secret']);
    expect(state.person).toEqual({ email: 'anna@romashka.ru', name: 'Анна', company: null });
  });

  test('the call for a gateway token names the extension and its version', async () => {
    await signedIn();
    expect(asked).toContain('/api/me/access?client=chromium-extension-0.2.0');
  });

  test('the call for a gateway token names the program that controls the proxy setting in place of the extension', async () => {
    const { store, session } = await signedIn();
    await store.change((state) => ({ ...state, proxyHeldBy: 'policy' }));
    await session.refresh();
    expect(asked.at(-1)).toBe('/api/me/access?client=chromium-extension-0.2.0&proxyHeldBy=policy');
    await store.change((state) => ({ ...state, proxyHeldBy: null }));
    await session.refresh();
    expect(asked.at(-1)).toBe('/api/me/access?client=chromium-extension-0.2.0');
  });

  test('a late reply does not restore a session after a sign-out', async () => {
    const { store, session } = await signedIn();
    const held = Promise.withResolvers<void>();
    answers.set('GET /api/me/access', async () => {
      await held.promise;
      return [200, access];
    });
    const refreshing = session.refresh();
    await session.signOut();
    held.resolve();
    await refreshing;
    const { token, access: left } = await store.get();
    expect([token, left]).toEqual([null, null]);
    expect(JSON.stringify(kept)).not.toContain('secret');
  });

  test.each([500, 503, 302])(
    'a session of the extension survives a %i reply from the console',
    async (status) => {
      const { store, session } = await signedIn();
      answers.set('GET /api/me/access', always(status, { code: 'unavailable', message: 'Нет базы' }));
      await session.refresh();
      const state = await store.get();
      expect([state.access?.password, state.consoleAway]).toEqual(['secret', true]);
    },
  );

  test('a 401 reply from the console ends the session and shows the reason', async () => {
    const { store, session } = await signedIn();
    answers.set('GET /api/me/access', always(401, { code: 'unauthorized', message: 'Войдите' }));
    await session.refresh();
    const state = await store.get();
    expect([state.token, state.access, state.problem]).toEqual([
      null,
      null,
      'Сеанс завершён. Войдите, чтобы продолжить.',
    ]);
  });

  test.each([
    ['suspended', 'Ваш доступ приостановлен. Обратитесь к администратору вашей компании.'],
    [undefined, 'Сеанс завершён. Войдите, чтобы продолжить.'],
  ])(
    "a refusal by the gateway for the reason %s after the end of the session shows '%s'",
    async (reason, text) => {
      const { store, session } = await signedIn();
      answers.set('GET /api/me/why', always(401, { code: 'unauthorized', message: 'Войдите' }));
      await session.explain('http://crm.example.ru/', reason);
      const { token, access: left, problem } = await store.get();
      expect([token, left, problem]).toEqual([null, null, text]);
    },
  );

  test('a signed-in user without a company has no gateway access and sees the reason', async () => {
    const { store, session } = await signedIn();
    answers.set('GET /api/me/access', always(409, { code: 'no_company', message: 'Здесь нужна компания' }));
    await session.refresh();
    const state = await store.get();
    expect([state.token, state.access, state.problem]).toEqual(['token', null, 'Здесь нужна компания']);
  });

  test('a signed-in user without the required second factor has no gateway access and sees how to enable it', async () => {
    const { store, session } = await signedIn();
    const refused = { code: 'second_factor_required', message: 'Включите второй фактор' };
    answers.set('GET /api/me/access', always(403, refused));
    await session.refresh();
    const state = await store.get();
    expect([state.token, state.access, state.problem]).toEqual(['token', null, 'Включите второй фактор']);
  });

  test('a sign-in without the code of an enabled second factor fails', async () => {
    const needed = { code: 'second_factor_needed', message: 'Введите код' };
    answers.set('POST /api/auth/login', always(401, needed));
    await expect(signedIn()).rejects.toMatchObject({ code: 'second_factor_needed', message: 'Введите код' });
    expect((await openStore(async () => {}).get()).token).toBeNull();
  });

  test('a sign-in is possible only at the console that the browser policy names', async () => {
    await expect(signedIn('https://pass.example.ru')).rejects.toThrow(
      /только консоль https:\/\/pass\.example\.ru/,
    );
    await expect(signedIn(origin)).resolves.toBeDefined();
  });

  test('a connection test marks the gateway as unreachable when nothing listens there', async () => {
    const { store, session } = await signedIn();
    await session.probe();
    expect((await store.get()).gatewayAway).toBe(true);
  });
});
