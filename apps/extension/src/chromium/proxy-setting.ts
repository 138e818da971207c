import { pacScript } from '@propusk/access/pac';
import type { GatewayAccess } from '@propusk/contract/access';

/**
 * Applies `access` to the proxy setting; null clears it. Writes only a different value, because Chromium drops
 * connections on every write.
 */
export async function applyAccess(access: GatewayAccess | null): Promise<void> {
  const { settings } = chrome.proxy;
  const { levelOfControl, value } = await settings.get({});
  if (access === null) {
    if (levelOfControl !== 'controllable_by_this_extension') await settings.clear({ scope: 'regular' });
    return;
  }
  const wanted = pacScript(access);
  const { data, mandatory = false } = value?.pacScript ?? {};
  const applied = levelOfControl === 'controlled_by_this_extension' && data === wanted.data;
  if (applied && mandatory === wanted.mandatory) return;
  await settings.set({ value: { mode: 'pac_script', pacScript: wanted }, scope: 'regular' });
}
