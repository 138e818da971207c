import * as contract from '@propusk/contract/sites';
import { asMember } from '../core/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createSites } from './bulk-create.ts';
import { createSite, deleteSite, deleteSiteByAddress, findSite, listSites, updateSite } from './store.ts';

/** The calls of protected sites (spec section 7: domain-allowed). */
export function siteRoutes(routes: Routes): void {
  implement(routes, contract.createSite, ({ actor, body, write }) =>
    write((tx) => createSite(tx, asMember(actor), body)),
  );

  implement(routes, contract.createSites, ({ actor, body, write }) =>
    write((tx) => createSites(tx, asMember(actor), body)),
  );

  implement(routes, contract.listSites, ({ actor, query, db }) => listSites(db, actor, query));

  implement(routes, contract.getSite, ({ actor, params, db }) => findSite(db, actor, params.id));

  implement(routes, contract.updateSite, ({ actor, params, body, ifMatch, write }) =>
    write((tx) => updateSite(tx, actor, params.id, body, ifMatch)),
  );

  implement(routes, contract.deleteSite, ({ actor, params, ifMatch, write }) =>
    write((tx) => deleteSite(tx, actor, params.id, ifMatch)),
  );

  implement(routes, contract.deleteSiteByAddress, ({ actor, params, ifMatch, write }) =>
    write((tx) => deleteSiteByAddress(tx, asMember(actor), params.address, ifMatch)),
  );
}
