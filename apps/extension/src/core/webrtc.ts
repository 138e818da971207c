import type { GatewayAccess } from '@propusk/contract/access';

/** The optional permission for the WebRTC setting. Without it, browsers do not provide `chrome.privacy`. */
export const WEBRTC = { permissions: ['privacy'] } satisfies chrome.permissions.Permissions;

/**
 * Restricts WebRTC to the proxy or TCP while `access` sends all sites through the gateway, because direct UDP reveals the user's
 * IP address to a site. Otherwise clears the extension's value. Leaves a setting that another extension or a policy controls.
 */
export async function limitWebRtc(access: GatewayAccess | null): Promise<void> {
  if (!(await chrome.permissions.contains(WEBRTC))) return;
  const setting = chrome.privacy.network.webRTCIPHandlingPolicy;
  const { levelOfControl } = await setting.get({});
  const isWanted = access?.allSites === true;
  if (isWanted && levelOfControl === 'controllable_by_this_extension') {
    await setting.set({ value: 'disable_non_proxied_udp' });
  }
  if (!isWanted && levelOfControl === 'controlled_by_this_extension') await setting.clear({});
}

/**
 * The state of direct WebRTC connections: allowed (`open`), forbidden by this extension (`closed`), or decided by another
 * extension or a browser policy (`held`). Without the permission the setting is unknown and counts as `open`.
 */
export async function readWebRtc(): Promise<'open' | 'closed' | 'held'> {
  if (!(await chrome.permissions.contains(WEBRTC))) return 'open';
  const { levelOfControl } = await chrome.privacy.network.webRTCIPHandlingPolicy.get({});
  if (levelOfControl === 'controlled_by_this_extension') return 'closed';
  return levelOfControl === 'controllable_by_this_extension' ? 'open' : 'held';
}
