import type { GatewayAccess } from '@propusk/contract/access';

/** The optional permission for the WebRTC setting. Without it, browsers do not provide `chrome.privacy`. */
export const WEBRTC = { permissions: ['privacy'] } satisfies chrome.permissions.Permissions;

/**
 * Makes WebRTC use the proxy or TCP only, while all sites of `access` go through the gateway: direct UDP shows the user's own
 * address to a site. Otherwise removes our value of the setting.
 */
export async function limitWebRtc(access: GatewayAccess | null): Promise<void> {
  if (!(await chrome.permissions.contains(WEBRTC))) return;
  const setting = chrome.privacy.network.webRTCIPHandlingPolicy;
  const { levelOfControl } = await setting.get({});
  const isOurs = levelOfControl === 'controlled_by_this_extension';
  const isWanted = access?.allSites === true;
  if (isWanted && !isOurs) await setting.set({ value: 'disable_non_proxied_udp' });
  if (!isWanted && isOurs) await setting.clear({});
}
