import * as contract from '@propusk/contract/lock';
import { plainAddress } from '@propusk/overload/networks';
import { AppError } from '../core/errors.ts';
import { createKeyedLimiter } from '../core/keyed-limiter.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { learnEgress } from '../probe/echo-client.ts';
import { passwordUnreadable, type SiteProxy, saveEgress } from '../probe/egress-store.ts';
import type { Outbound } from '../probe/transport.ts';
import { addLockLink, findSiteLock, findSiteProxies, openLockLink } from './store.ts';

export interface LockParts extends Outbound {
  readonly limits: Limits;
  /** Links lead there and nowhere else: a request's Host is whatever its sender likes. */
  readonly publicUrl: URL;
}

/** Ways to one site that are learned at once. */
const WAYS_AT_ONCE = 4;

/** A site's lock: its text, what it is made of, and a link for whoever pastes it. */
export function lockRoutes(routes: Routes, parts: LockParts): void {
  const { limits, publicUrl, transport, echoUrl, turns, stop } = parts;
  const { encryption } = routes;

  implement(routes, contract.getSiteLock, ({ actor, params, db }) =>
    findSiteLock(db, actor, params.id, encryption),
  );

  implement(routes, contract.learnEgress, async ({ actor, params, db, write }) => {
    const ways = await findSiteProxies(db, actor, params.id, encryption);
    await limits.countProbe(actor.userId, Math.max(1, ways.length));
    // A site of a hundred ways takes no more places of its company's line at once than one of four.
    const line = createKeyedLimiter(WAYS_AT_ONCE, ways.length);
    const learn = async (proxy: SiteProxy) => {
      const { way } = proxy;
      const learned =
        way === null
          ? passwordUnreadable
          : await turns(actor.companyId ?? 0, () => learnEgress(transport, way, echoUrl, stop));
      await write((tx) => saveEgress(tx, proxy, learned));
    };
    await Promise.all(ways.map((proxy) => line(0, () => learn(proxy))));
    return findSiteLock(db, actor, params.id, encryption);
  });

  implement(routes, contract.shareLock, async ({ actor, params, write }) => {
    const { token, expiresAt } = await write((tx) => addLockLink(tx, actor, params.id));
    // In the fragment, which no browser sends: neither a server's log nor a Referer has it.
    return { url: new URL(`/lock#${token}`, publicUrl).href, expiresAt };
  });

  implement(routes, contract.openLockLink, async ({ body, address, db }) => {
    const lock = await openLockLink(db, body.token, encryption);
    if (lock !== null) return lock;
    // Only wrong ones are counted: links of mail and codes of the extension share the tries of an office's address.
    await limits.countRedeem(address);
    throw new AppError('lock_link_dead');
  });

  implement(routes, contract.echo, async ({ address, header }) => {
    // An answer that a proxy kept would tell where somebody else left from.
    header('cache-control', 'no-store');
    return { address: plainAddress(address) };
  });
}
