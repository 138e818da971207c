import * as contract from '@propusk/contract/lock';
import { inParallel } from '../core/in-parallel.ts';
import { implement } from '../http/implement.ts';
import { learnEgress } from '../probe/echo-client.ts';
import { saveEgress } from '../probe/egress-store.ts';
import type { Slice } from '../slice.ts';
import { keyOf, times } from '../throttle/budgets.ts';
import { addLockLink, findSiteLock, findSiteProxies, openLockLink } from './store.ts';

const PARALLEL = 4;

/** Routes for the locks of sites, the egress addresses that locks allow, and links to locks. */
export function lockRoutes(routes: Slice): void {
  const { encryption, throttle, links, outbound } = routes;

  implement(routes, contract.getSiteLock, ({ actor, params, db }) =>
    findSiteLock(db, actor, params.id, encryption),
  );

  implement(routes, contract.learnEgress, async ({ actor, params, db, write }) => {
    const proxies = await findSiteProxies(db, actor, params.id, encryption);
    await throttle.begin({ keys: [times(keyOf('probe', actor.userId), Math.max(1, proxies.length))] });
    // Limits the concurrent echo calls. Otherwise the calls for a site with a hundred proxies would fill the
    // company's queue of outbound calls.
    await inParallel(PARALLEL, proxies, async (proxy) => {
      const seen = await outbound.turns(actor.companyId ?? 0, () => learnEgress(outbound, proxy.route));
      await write((tx) => saveEgress(tx, proxy, seen));
    });
    return findSiteLock(db, actor, params.id, encryption);
  });

  implement(routes, contract.shareLock, async ({ actor, params, write }) => {
    const { token, expiresAt } = await write((tx) => addLockLink(tx, actor, params.id));
    // The token is in the fragment of the URL. Browsers send the fragment neither in requests nor in Referer headers.
    return { url: links.page(`/lock#${token}`), expiresAt };
  });

  implement(routes, contract.openLockLink, ({ body, address, db }) =>
    throttle.redeeming('lockLink', address, () => openLockLink(db, body.token, encryption)),
  );
}
