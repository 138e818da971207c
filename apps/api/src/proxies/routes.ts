import * as contract from '@propusk/contract/proxies';
import { asMember } from '../http/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import type { Sealing } from '../sealing.ts';
import { createProxy, deleteProxy, listProxies } from './store.ts';

/** Spec section 7: proxy servers. */
export function proxyRoutes(routes: Routes, sealing: Sealing): void {
  implement(routes, contract.createProxy, ({ actor, body, write }) =>
    write((tx) => createProxy(tx, asMember(actor), body, sealing)),
  );

  implement(routes, contract.listProxies, ({ actor, query, db }) => listProxies(db, asMember(actor), query));

  implement(routes, contract.deleteProxy, ({ actor, params, write }) =>
    write((tx) => deleteProxy(tx, actor, params.id)),
  );
}
