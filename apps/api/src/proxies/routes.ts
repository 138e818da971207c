import * as contract from '@propusk/contract/proxies';
import { scopeOf } from '../http/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createProxy, deleteProxy, findProxy, listProxies, updateProxy } from './store.ts';

/** Spec section 7: proxy servers. */
export function proxyRoutes(routes: Routes): void {
  const { sealing } = routes;

  implement(routes, contract.createProxy, ({ actor, body, write }) =>
    write((tx) => createProxy(tx, actor, body, sealing)),
  );

  implement(routes, contract.listProxies, ({ actor, query, db }) =>
    listProxies(db, actor, scopeOf(actor) === 'platform' ? 'platform' : 'company', query),
  );

  implement(routes, contract.listAllProxies, ({ actor, query, db }) =>
    listProxies(db, actor, 'platform', query),
  );

  implement(routes, contract.getProxy, ({ actor, params, db }) => findProxy(db, actor, params.id));

  implement(routes, contract.updateProxy, ({ actor, params, body, ifMatch, write }) =>
    write((tx) => updateProxy(tx, actor, params.id, body, { sealing, ifMatch })),
  );

  implement(routes, contract.updateAnyProxy, ({ actor, params, body, ifMatch, write }) =>
    write((tx) => updateProxy(tx, actor, params.id, body, { sealing, ifMatch })),
  );

  implement(routes, contract.deleteProxy, ({ actor, params, ifMatch, write }) =>
    write((tx) => deleteProxy(tx, actor, params.id, ifMatch)),
  );
}
