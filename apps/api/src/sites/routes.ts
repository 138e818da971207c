import * as contract from '@propusk/contract/sites';
import { asMember } from '../http/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createSite, deleteSite, listSites, updateSite } from './store.ts';

/** Spec section 7: domain-allowed. */
export function siteRoutes(routes: Routes): void {
  implement(routes, contract.createSite, ({ actor, body, write }) =>
    write((tx) => createSite(tx, asMember(actor), body)),
  );

  implement(routes, contract.listSites, ({ actor, query, db }) => listSites(db, asMember(actor), query));

  implement(routes, contract.updateSite, ({ actor, params, body, write }) =>
    write((tx) => updateSite(tx, actor, params.id, body)),
  );

  implement(routes, contract.deleteSite, ({ actor, params, write }) =>
    write((tx) => deleteSite(tx, actor, params.id)),
  );
}
