import { createRoute } from '@propusk/access/pac-route';
import type { GatewayAccess } from '@propusk/contract/access';
import * as t from '@propusk/phrases/extension';
import { CallFailed } from './api.ts';
import { type Answer, type Challenge, createChallenges } from './challenges.ts';
import { answerMessages } from './inbox.ts';
import { watchOwnRequests } from './network-errors.ts';
import { createSession, type Session } from './session.ts';
import { gatewayAway, gatewayCertificate, type State, withOpened, withRefusal } from './state.ts';
import { openStore, type Store } from './store.ts';
import { addressOf, type Route, showBadges, watchTabs } from './tabs.ts';
import { limitWebRtc } from './webrtc.ts';

/** The functions that differ between Chromium and Firefox. */
export interface Browser {
  /** The browser's name in access records. */
  readonly name: 'chromium' | 'firefox';
  /**
   * Routes the sites of `access` through its gateway; null ends the routing. Called at every start of the worker and
   * every change of the state.
   */
  apply(access: GatewayAccess | null): Promise<void>;
  /**
   * Error patterns of page loads: the gateway denied access, is unreachable, or has an untrusted certificate. Firefox
   * does not distinguish the gateway's certificate from the site's, so only Chromium sets `certificate`.
   */
  errors: { readonly refused: RegExp; readonly away: RegExp; readonly certificate?: RegExp };
}

export interface Worker {
  readonly store: Store;
  readonly session: Session;
  /** The listener for `webRequest.onAuthRequired`. */
  readonly answer: (challenge: Challenge) => Promise<Answer>;
  readonly route: Route;
}

/** Chromium's shortest alarm period. */
const REFRESH_MINUTES = 0.5;
const REFRESH = 'refresh';
/** The password is renewed this long before it expires, in milliseconds. */
const BEFORE_EXPIRY_MS = 60 * 60_000;
const EXPIRY = 'expiry';

/**
 * Registers the listeners that both browsers share. Call it synchronously when the worker starts, to receive the event
 * that woke the worker.
 */
export function startWorker(browser: Browser): Worker {
  let routed: { access: GatewayAccess | null; through: (url: string) => boolean } | undefined;
  const store = openStore(async (state) => {
    await browser.apply(state.access);
    await showBadges(state, route);
    if (state.access !== null) {
      const when = Date.parse(state.access.expiresAt) - BEFORE_EXPIRY_MS;
      await chrome.alarms.create(EXPIRY, { when: Math.max(when, Date.now() + 30_000) });
    }
    // The WebRTC setting is optional: an error of the browser must not fail the change of the state, such as a sign-in.
    await limitWebRtc(state.access).catch(() => {});
  });
  const session = createSession(store, pinnedConsole, () => clientName(browser.name));
  const answer = createChallenges(async () => (await store.get()).access, session.refresh);
  const route: Route = {
    through(state: State, url: string) {
      const { access } = state;
      if (routed?.access !== access) {
        routed = { access, through: access === null ? () => false : createRoute(access) };
      }
      return routed.through(url);
    },
  };

  chrome.alarms.onAlarm.addListener(() => void session.refresh());
  const start = async () => {
    // The worker starts often: recreating the alarm each time would postpone it for ever.
    const alarm = await chrome.alarms.get(REFRESH);
    if (alarm === undefined) await chrome.alarms.create(REFRESH, { periodInMinutes: REFRESH_MINUTES });
    await store.get();
  };
  const startAndAsk = () => void start().then(() => session.refresh());
  chrome.runtime.onInstalled.addListener(({ reason }) => {
    startAndAsk();
    if (reason === 'install') void reloadPairPages();
  });
  chrome.runtime.onStartup.addListener(startAndAsk);
  chrome.permissions.onAdded.addListener(() => void store.get().then(({ access }) => limitWebRtc(access)));
  answerMessages(store, session, pinnedConsole);
  watchTabs(store, route);
  watchOwnRequests();

  const all = { urls: ['<all_urls>'] };
  chrome.webRequest.onCompleted.addListener(
    ({ url, responseHeaders }) => {
      void store.get().then(async (state) => {
        if (!route.through(state, url)) return;
        // Over plain http the gateway replies with its own error page; the popup shows the same reason.
        const refused = responseHeaders?.find(({ name }) => name.toLowerCase() === 'x-propusk-reason');
        if (refused !== undefined) await session.explain(url, refused.value);
        else await store.change((now) => withOpened(now, addressOf(url)));
      });
    },
    { ...all, types: ['main_frame'] },
    ['responseHeaders'],
  );
  chrome.webRequest.onErrorOccurred.addListener(
    ({ url, error, tabId }) => void explainError(url, error, tabId),
    { ...all, types: ['main_frame'] },
  );

  async function explainError(url: string, error: string, tabId: number): Promise<void> {
    const { refused, away, certificate } = browser.errors;
    if (![refused, away, certificate].some((known) => known?.test(error))) return;
    const state = await store.get();
    if (!route.through(state, url)) return;
    const address = addressOf(url);
    if (certificate?.test(error)) await store.change((now) => withRefusal(now, address, gatewayCertificate));
    else if (away.test(error)) await store.change((now) => withRefusal(now, address, gatewayAway));
    else await session.explain(url);
    await showRefused(tabId, url);
  }

  void start();
  return { store, session, answer, route };
}

/** Reloads open pairing pages, because the browser runs a content script only when a page loads. */
async function reloadPairPages(): Promise<void> {
  const tabs = await chrome.tabs.query({ url: '*://*/extension/pair*' });
  // A tab may have closed meanwhile.
  await Promise.allSettled(tabs.map(({ id = -1 }) => chrome.tabs.reload(id)));
}

/** Replaces the browser's error page, which shows only 'tunnel failed'. */
async function showRefused(tabId: number, url: string): Promise<void> {
  const page = chrome.runtime.getURL(`refused.html#${encodeURIComponent(url)}`);
  // The event can precede the browser's error page: wait until the tab has loaded that page.
  for (let tries = 0; tries < 20; tries++) {
    const tab = await chrome.tabs.get(tabId).catch(() => null);
    if (tab === null) return;
    if (tab.url === url && tab.status === 'complete') {
      await chrome.tabs.update(tabId, { url: page }).catch(() => {});
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * The extension's name in requests to the console, with its version unless the user declined to send the version. Firefox 140
 * and newer ask the user for this consent (`technicalAndInteraction`). If the browser policy names the console, the version is
 * always sent.
 */
async function clientName(browser: string): Promise<string> {
  const granted: chrome.permissions.Permissions & { data_collection?: string[] } =
    await chrome.permissions.getAll();
  const allowed = granted.data_collection;
  const isAllowed = allowed?.includes('technicalAndInteraction') ?? true;
  const withVersion = isAllowed || (await pinnedConsole().catch(() => null)) !== null;
  return `${browser}-extension${withVersion ? `-${chrome.runtime.getManifest().version}` : ''}`;
}

/** The console that the browser policy names; null without a policy. */
async function pinnedConsole(): Promise<string | null> {
  // Without a policy, Firefox rejects this call.
  const { consoleUrl } = await chrome.storage.managed
    .get('consoleUrl')
    .catch(() => ({ consoleUrl: undefined }));
  if (typeof consoleUrl !== 'string' || consoleUrl === '') return null;
  if (!URL.canParse(consoleUrl)) throw new CallFailed(0, t.failures.badPolicy);
  return new URL(consoleUrl).origin;
}
