import type { Proxy } from '@propusk/contract/proxies';
import * as t from '@propusk/phrases/console';
import { Tag } from '../../ui/tags.tsx';

/** Spec section 2 names three kinds: the company's own, PRO (default, for all sites), and standard. */
export function ProxyTypeTag({ settings }: { settings: Proxy['settings'] }) {
  if (settings.type !== 'default') return <Tag tone="accent">{t.proxies.own}</Tag>;
  if (settings.allSites) return <Tag tone="special">{t.proxies.pro}</Tag>;
  return <Tag>{t.proxies.standard}</Tag>;
}
