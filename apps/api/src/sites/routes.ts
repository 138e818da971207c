import * as contract from '@propusk/contract/sites';
import { asMember, scopeOf } from '../core/actor.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { findEntity, listEntities, listIds } from '../entities/entity.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createSite, createSites } from './create.ts';
import { deleteSiteByAddress, siteEntity, updateSite } from './store.ts';

/** Routes for protected sites (spec section 7: domain-allowed). */
export function siteRoutes(routes: Routes): void {
  implement(routes, contract.createSite, ({ actor, body, write }) =>
    write((tx) => createSite(tx, asMember(actor), body)),
  );

  implement(routes, contract.createSites, async ({ actor, body, write }) => {
    const rows = await write((tx) => createSites(tx, asMember(actor), body));
    return { rows, count: rows.length };
  });

  implement(routes, contract.previewSites, async ({ actor, body, write }) => {
    await rolledBack(write, (tx) => createSites(tx, asMember(actor), body));
  });

  implement(routes, contract.listSites, ({ actor, query, db }) =>
    listEntities(db, actor, siteEntity, scopeOf(actor), query),
  );

  implement(routes, contract.siteIds, ({ actor, query, db }) =>
    listIds(db, asMember(actor), siteEntity, query),
  );

  implement(routes, contract.getSite, ({ actor, params, db }) =>
    findEntity(db, actor, siteEntity, params.id),
  );

  implement(routes, contract.updateSite, ({ actor, target, body, write }) =>
    write((tx) => updateSite(tx, actor, target, body)),
  );

  implement(routes, contract.deleteSiteByAddress, ({ actor, params, ifMatch, write }) =>
    write((tx) => deleteSiteByAddress(tx, asMember(actor), params.address, ifMatch)),
  );
}
