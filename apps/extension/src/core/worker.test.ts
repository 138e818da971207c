import { beforeEach, expect, test } from 'vitest';
import { gatewayAccess } from '../../test/gateway-access.ts';
import { signedOut } from './state.ts';
import { startWorker } from './worker.ts';

type Listener = (message: object, sender: object, reply: (answer: unknown) => void) => boolean;
/** The stubbed browser: its storage, the console of its policy, the created alarms, and the listener for messages. */
let local: Record<string, unknown>;
let consoleUrl: string | undefined;
let alarms: string[];
let listener: Listener;

const access = { ...gatewayAccess, allSites: true, sites: [] };

beforeEach(() => {
  local = { state: { ...signedOut, console: 'https://pass.example.ru' } };
  consoleUrl = undefined;
  alarms = [];
  const none = { addListener: () => {} };
  // These tests stub the browser's extension API; all other code is real.
  Object.assign(globalThis, {
    chrome: {
      storage: {
        local: { get: async () => local, set: async (items: object) => void Object.assign(local, items) },
        managed: { get: async () => ({ consoleUrl }) },
      },
      alarms: {
        onAlarm: none,
        get: async () => undefined,
        create: async (name: string) => void alarms.push(name),
      },
      runtime: {
        id: 'us',
        getURL: (path: string) => `chrome-extension://us/${path}`,
        onInstalled: none,
        onStartup: none,
        onMessage: { addListener: (given: Listener) => (listener = given) },
      },
      tabs: { query: async () => [], onRemoved: none, onUpdated: none },
      action: { setBadgeText: async () => {}, setBadgeBackgroundColor: async () => {} },
      permissions: { contains: async () => true, onAdded: none },
      privacy: {
        network: {
          webRTCIPHandlingPolicy: { get: () => Promise.reject(new Error('no such setting')) },
        },
      },
      webRequest: { onCompleted: none, onErrorOccurred: none },
    },
  });
});

const start = () =>
  startWorker({ name: 'chromium', apply: async () => {}, errors: { refused: /x/, away: /x/ } });

/** Asks for the extension's id as the content script of a page does. */
const idFor = (url: string) =>
  new Promise((resolve) => {
    // The browser names the page in the sender; the page itself can only choose the message.
    const message = { type: 'id-request', origin: 'https://pass.example.ru' };
    if (!listener(message, { id: 'us', url, frameId: 0, tab: { id: 1 } }, resolve)) resolve('no reply');
  });

test('the worker gives the id of the extension only to the console of the last sign-in and to the console of the browser policy', async () => {
  start();
  expect(await idFor('https://pass.example.ru/extension/pair#x')).toBe('us');
  const strangers = [
    'https://evil.test/extension/pair',
    'http://pass.example.ru/extension/pair',
    'https://pass.example.ru:8443/extension/pair',
    'https://pass.example.ru.evil.test/extension/pair',
    'https://evil.test/extension/pair#https://pass.example.ru',
  ];
  for (const url of strangers) expect(await idFor(url)).toBeNull();
  consoleUrl = 'https://work.example.ru/';
  expect(await idFor('https://work.example.ru/extension/pair')).toBe('us');
  expect(await idFor('https://evil.test/extension/pair')).toBeNull();
});

test('the worker gives its id to no page before the first sign-in or with an invalid policy', async () => {
  local = {};
  consoleUrl = 'no address';
  start();
  expect(await idFor('https://pass.example.ru/extension/pair')).toBeNull();
});

test('a sign-in succeeds and schedules the renewal of the password even if the WebRTC setting cannot be changed', async () => {
  const { store } = start();
  await store.change((state) => ({ ...state, token: 'token', access }));
  expect((await store.get()).token).toBe('token');
  expect(alarms).toContain('expiry');
});
