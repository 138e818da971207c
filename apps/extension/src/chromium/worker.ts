import { pacScript } from '@propusk/access/pac';
import type { GatewayAccess } from '@propusk/contract/access';
import type { Answer } from '../core/challenges.ts';
import { startWorker } from '../core/worker.ts';

/** In Chromium a PAC script (proxy auto-configuration) routes requests. */

/** The last applied setting. Chromium drops connections on every write, and the worker refreshes twice a minute. */
let applied: string | undefined;

async function apply(access: GatewayAccess | null): Promise<void> {
  const wanted = access === null ? null : pacScript(access);
  const text = JSON.stringify(wanted);
  if (text === applied) return;
  applied = text;
  if (wanted === null) await chrome.proxy.settings.clear({ scope: 'regular' });
  else {
    const value: chrome.proxy.ProxyConfig = { mode: 'pac_script', pacScript: wanted };
    await chrome.proxy.settings.set({ value, scope: 'regular' });
  }
  await noteHolder();
}

const { store, answer } = startWorker({
  name: 'chromium',
  apply,
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

/** Another extension or a browser policy may control the proxy setting: then ours has no effect. */
async function noteHolder(): Promise<void> {
  const { levelOfControl } = await chrome.proxy.settings.get({});
  const holders: Partial<Record<string, 'extension' | 'policy'>> = {
    controlled_by_other_extensions: 'extension',
    not_controllable: 'policy',
  };
  const proxyHeldBy = holders[levelOfControl] ?? null;
  // Not awaited: the store awaits this function.
  void store.change((state) => (state.proxyHeldBy === proxyHeldBy ? state : { ...state, proxyHeldBy }));
}
