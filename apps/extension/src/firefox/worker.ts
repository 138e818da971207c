import type { Answer, Challenge } from '../core/challenges.ts';
import { startWorker } from '../core/worker.ts';

/** In Firefox a request listener chooses the proxy, so the extension changes no browser setting. */

/** The part of Firefox's API that Chromium lacks. */
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
  name: 'firefox',
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
  // No fallback: when the gateway is down the request fails.
  return { type: scheme, host: host.replace(/^\[|\]$/g, ''), port };
}, all);

browser.webRequest.onAuthRequired.addListener((details) => worker.answer(details), all, ['blocking']);
