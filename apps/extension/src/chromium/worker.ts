import type { Answer } from '../core/challenges.ts';
import { startWorker } from '../core/worker.ts';
import { applyAccess } from './proxy-setting.ts';

/** In Chromium a PAC script (proxy auto-configuration) routes requests. */

const { store, answer } = startWorker({
  name: 'chromium',
  async apply(access) {
    await applyAccess(access);
    await noteHolder();
  },
  errors: {
    refused: /ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY_AUTH|ERR_UNEXPECTED_PROXY_AUTH|ERR_TOO_MANY_RETRIES/,
    away: /ERR_PROXY_CONNECTION_FAILED|ERR_MANDATORY_PROXY_CONFIGURATION_FAILED/,
    certificate: /ERR_PROXY_CERTIFICATE_INVALID/,
  },
});

chrome.webRequest.onAuthRequired.addListener(
  (details, respond) => {
    answer(details).then(
      (given: Answer) => respond?.(given as chrome.webRequest.BlockingResponse),
      () => respond?.({ cancel: true }),
    );
    return undefined;
  },
  { urls: ['<all_urls>'] },
  ['asyncBlocking'],
);

chrome.proxy.settings.onChange.addListener(() => void noteHolder());

/** Stores whether another extension or a browser policy controls the proxy setting, so that ours has no effect. */
async function noteHolder(): Promise<void> {
  const { levelOfControl } = await chrome.proxy.settings.get({});
  const holders: Partial<Record<string, 'extension' | 'policy'>> = {
    controlled_by_other_extensions: 'extension',
    not_controllable: 'policy',
  };
  const proxyHeldBy = holders[levelOfControl] ?? null;
  // Not awaited: the store waits for this function, so the two would wait for each other.
  void store.change((state) => (state.proxyHeldBy === proxyHeldBy ? state : { ...state, proxyHeldBy }));
}
