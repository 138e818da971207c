import * as contract from '@propusk/contract/policies';
import { asMember, scopeOf } from '../core/actor.ts';
import { findEntity, listEntities, listIds } from '../entities/entity.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createPolicy, policyEntity, updatePolicy } from './store.ts';

/** Routes for access policies (spec section 7: politics). */
export function policyRoutes(routes: Routes): void {
  implement(routes, contract.createPolicy, ({ actor, body, write }) =>
    write((tx) => createPolicy(tx, asMember(actor), body)),
  );

  implement(routes, contract.listPolicies, ({ actor, query, db }) =>
    listEntities(db, actor, policyEntity, scopeOf(actor), query),
  );

  implement(routes, contract.policyIds, ({ actor, query, db }) =>
    listIds(db, asMember(actor), policyEntity, query),
  );

  implement(routes, contract.getPolicy, ({ actor, params, db }) =>
    findEntity(db, actor, policyEntity, params.id),
  );

  implement(routes, contract.updatePolicy, ({ actor, target, body, write }) =>
    write((tx) => updatePolicy(tx, actor, target, body)),
  );
}
