import * as contract from '@propusk/contract/lock';
import { saveLearned, sealBroken } from '../egress/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Limits } from '../http/limits.ts';
import { learnEgress, plainAddress } from '../outbound/echo.ts';
import type { Outbound } from '../outbound/parts.ts';
import { addLockLink, findSiteLock, findSiteWays, openLockLink } from './store.ts';

export interface LockParts extends Outbound {
  readonly limits: Limits;
  /** Links lead there and nowhere else: a request's Host is whatever its sender likes. */
  readonly publicUrl: URL;
}

/** A site's lock: its text, what it is made of, and a link for whoever pastes it. */
export function lockRoutes(routes: Routes, parts: LockParts): void {
  const { limits, publicUrl, reach, echoUrl, turns, stop } = parts;
  const { sealing } = routes;

  implement(routes, contract.getSiteLock, ({ actor, params, db }) =>
    findSiteLock(db, actor, params.id, sealing),
  );

  implement(routes, contract.learnEgress, async ({ actor, params, db, write }) => {
    const ways = await findSiteWays(db, actor, params.id, sealing);
    await limits.countProbe(actor.userId);
    await Promise.all(
      ways.map((proxy) =>
        turns(async () => {
          const learned =
            proxy.way === null ? sealBroken : await learnEgress(reach, proxy.way, echoUrl, stop);
          await write((tx) => saveLearned(tx, proxy, learned));
        }),
      ),
    );
    return findSiteLock(db, actor, params.id, sealing);
  });

  implement(routes, contract.shareLock, async ({ actor, params, write }) => {
    const { token, expiresAt } = await write((tx) => addLockLink(tx, actor, params.id));
    // In the fragment, which no browser sends: neither a server's log nor a Referer has it.
    return { url: new URL(`/lock#${token}`, publicUrl).href, expiresAt };
  });

  implement(routes, contract.openLockLink, async ({ body, address, db }) => {
    await limits.countRedeem(address);
    return openLockLink(db, body.token, sealing);
  });

  implement(routes, contract.echo, async ({ address, header }) => {
    // An answer that a proxy kept would tell where somebody else left from.
    header('cache-control', 'no-store');
    return { address: plainAddress(address) };
  });
}
