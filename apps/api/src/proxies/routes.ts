import * as contract from '@propusk/contract/proxies';
import { sayCheck } from '@propusk/phrases/checks';
import { readerOf, scopeOf } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import { demandConfirmed } from '../db/company.ts';
import { findEntity, listEntities } from '../entities/entity.ts';
import { implement } from '../http/implement.ts';
import { learnEgress } from '../probe/echo-client.ts';
import { readProbeProxy, saveEgress } from '../probe/egress-store.ts';
import type { Slice } from '../slice.ts';
import { createPaidProxy, createProxy, deleteProxy, proxyEntity, updateProxy } from './store.ts';

/** Routes for upstream proxies (spec section 7). */
export function proxyRoutes(routes: Slice): void {
  const { encryption } = routes;

  implement(routes, contract.createProxy, ({ actor, body, write }) =>
    write((tx) => createProxy(tx, actor, body, encryption)),
  );

  implement(routes, contract.createPaidProxy, ({ actor, body, write }) =>
    write((tx) => createPaidProxy(tx, actor, body, encryption)),
  );

  implement(routes, contract.listProxies, ({ actor, query, db }) =>
    listEntities(db, actor, proxyEntity, scopeOf(actor) === 'platform' ? 'platform' : 'company', query),
  );

  implement(routes, contract.listAllProxies, ({ actor, query, db }) =>
    listEntities(db, actor, proxyEntity, 'platform', query),
  );

  implement(routes, contract.getProxy, ({ actor, params, db }) =>
    findEntity(db, actor, proxyEntity, params.id),
  );

  implement(routes, contract.updateProxy, ({ actor, target, body, write }) =>
    write((tx) => updateProxy(tx, actor, target, body, encryption)),
  );

  implement(routes, contract.updateAnyProxy, ({ actor, target, body, write }) =>
    write((tx) => updateProxy(tx, actor, target, body, encryption)),
  );

  implement(routes, contract.deleteProxy, ({ actor, target, write }) =>
    write((tx) => deleteProxy(tx, actor, target)),
  );

  implement(routes, contract.checkProxy, async ({ actor, params, db, write }) => {
    const { id } = await findEntity(db, actor, proxyEntity, params.id);
    if (actor.companyId !== null) await demandConfirmed(db, actor.companyId);
    await routes.throttle.charge('probe', actor.userId);
    const proxy = await readProbeProxy(db, encryption, id);
    if (proxy === null) throw new AppError('not_found');
    const { outbound } = routes;
    const seen = await outbound.turns(actor.companyId ?? 0, () => learnEgress(outbound, proxy.route));
    await write((tx) => saveEgress(tx, proxy, seen));
    const { reachable, credentialsAccepted, addresses, roundTripMs, problem } = seen;
    return {
      reachable,
      credentialsAccepted,
      egress: [...addresses],
      roundTripMs,
      problem: sayCheck(problem, readerOf(actor)),
      checkedAt: new Date().toISOString(),
    };
  });
}
