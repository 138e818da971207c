import type { Answer, Challenge } from '../core/challenges.ts';
import { startWorker } from '../core/worker.ts';

/** Firefox: each request asks us which way it goes, so that no setting of the browser is touched. */

/** The part of Firefox's own API that Chromium has not. */
interface ProxyInfo {
  readonly type: 'direct' | 'http' | 'https';
  readonly host?: string;
  readonly port?: number;
}
interface FirefoxApi {
  readonly proxy: {
    readonly onRequest: {
      addListener(
        listener: (details: { url: string }) => Promise<ProxyInfo>,
        filter: { urls: string[] },
      ): void;
    };
  };
  readonly webRequest: {
    readonly onAuthRequired: {
      addListener(
        listener: (details: Challenge) => Promise<Answer>,
        filter: { urls: string[] },
        extra: ['blocking'],
      ): void;
    };
  };
}
declare const browser: FirefoxApi;

const worker = startWorker({
  apply: async () => {},
  errors: {
    refused:
      /NS_ERROR_PROXY_(FORBIDDEN|AUTHENTICATION_FAILED|BAD_GATEWAY|BAD_REQUEST|GATEWAY_TIMEOUT|SERVICE_UNAVAILABLE)/,
    away: /NS_ERROR_(PROXY_CONNECTION_REFUSED|UNKNOWN_PROXY_HOST)/,
  },
});

const all = { urls: ['<all_urls>'] };
browser.proxy.onRequest.addListener(async ({ url }) => {
  const state = await worker.store.get();
  if (state.access === null || !worker.route.through(state, url)) return { type: 'direct' };
  const { scheme, host, port } = state.access.gateway;
  // One way and no other: with the gateway away the request fails.
  return { type: scheme, host: host.replace(/^\[|\]$/g, ''), port };
}, all);

browser.webRequest.onAuthRequired.addListener((details) => worker.answer(details), all, ['blocking']);
