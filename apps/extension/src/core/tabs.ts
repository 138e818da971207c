import type { State } from './state.ts';
import type { Store } from './store.ts';

/** Decides whether a URL goes through the gateway. */
export interface Route {
  through(state: State, url: string): boolean;
}

export const hostOf = (url: string): string => new URL(url).hostname.replace(/\.$/, '');

/** The `host:port` of a URL; ports 80 and 443 are omitted. */
export function addressOf(url: string): string {
  const port = portOf(url);
  return port === 80 || port === 443 ? hostOf(url) : `${hostOf(url)}:${port}`;
}

/** The port of a web address. */
export function portOf(url: string): number {
  const { port, protocol } = new URL(url);
  return Number(port) || (protocol === 'https:' ? 443 : 80);
}

const colours = { open: '#0b6e60', shut: '#c02626', held: '#8a5a00' };

/** Updates a tab's badge when its address changes. */
export function watchTabs(store: Store, route: Route): void {
  chrome.tabs.onUpdated.addListener((tabId, { url, status }, tab) => {
    const address = url ?? tab.url;
    if (address === undefined || (url === undefined && status !== 'complete')) return;
    void store.get().then((state) => mark(state, route, tabId, address));
  });
}

/** Updates the badges of all tabs after a change of access. */
export async function showBadges(state: State, route: Route): Promise<void> {
  // Tabs without a protected site show the default badge: '!' when another program controls the proxy setting.
  const trouble = state.proxyHeldBy !== null && state.token !== null;
  await chrome.action.setBadgeBackgroundColor({ color: colours.held });
  await chrome.action.setBadgeText({ text: trouble ? '!' : '' });
  const tabs = await chrome.tabs.query({});
  const known = tabs.flatMap(({ id, url }) => (id === undefined || url === undefined ? [] : [{ id, url }]));
  await Promise.all(known.map(({ id, url }) => mark(state, route, id, url)));
}

async function mark(state: State, route: Route, tabId: number, url: string): Promise<void> {
  const guarded = URL.canParse(url) && route.through(state, url);
  const refusal = guarded ? state.refusals[addressOf(url)] : undefined;
  const shut = guarded && (state.gatewayAway || refusal !== undefined);
  // An empty badge text of a tab hides the default badge, so repeat the default '!'.
  const text = guarded ? (shut ? '×' : '✓') : state.proxyHeldBy !== null && state.token !== null ? '!' : '';
  try {
    await chrome.action.setBadgeText({ tabId, text });
    if (guarded) {
      await chrome.action.setBadgeBackgroundColor({
        tabId,
        color: refusal?.until ? colours.held : shut ? colours.shut : colours.open,
      });
    }
  } catch {
    // The user closed the tab meanwhile.
  }
}
