import * as contract from '@propusk/contract/policies';
import { asMember } from '../core/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { createPolicy, deletePolicy, findPolicy, listPolicies, updatePolicy } from './store.ts';

/** The calls of access policies (spec section 7: politics). */
export function policyRoutes(routes: Routes): void {
  implement(routes, contract.createPolicy, ({ actor, body, write }) =>
    write((tx) => createPolicy(tx, asMember(actor), body)),
  );

  implement(routes, contract.listPolicies, ({ actor, query, db }) => listPolicies(db, actor, query));

  implement(routes, contract.getPolicy, ({ actor, params, db }) => findPolicy(db, actor, params.id));

  implement(routes, contract.updatePolicy, ({ actor, params, body, ifMatch, write }) =>
    write((tx) => updatePolicy(tx, actor, params.id, body, ifMatch)),
  );

  implement(routes, contract.deletePolicy, ({ actor, params, ifMatch, write }) =>
    write((tx) => deletePolicy(tx, actor, params.id, ifMatch)),
  );
}
