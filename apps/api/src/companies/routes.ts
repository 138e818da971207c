import * as contract from '@propusk/contract/companies';
import { asMember } from '../core/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import {
  confirmCompany,
  createCompany,
  deleteCompany,
  findCompany,
  listCompanies,
  updateCompany,
} from './store.ts';

/** Routes for all companies and for the actor's own company (spec section 7). */
export function companyRoutes(routes: Routes): void {
  implement(routes, contract.createCompany, ({ actor, body, write }) =>
    write((tx) => createCompany(tx, actor, body)),
  );

  implement(routes, contract.listCompanies, async ({ actor, query, db, header }) => {
    const { rows, count } = await listCompanies(db, actor, query);
    header('x-total-count', String(count));
    return rows;
  });

  implement(routes, contract.myCompany, ({ actor, db }) => findCompany(db, actor, asMember(actor).companyId));

  implement(routes, contract.updateMyCompany, ({ actor, body, ifMatch, write }) =>
    write((tx) => updateCompany(tx, actor, { id: asMember(actor).companyId, ifMatch }, body)),
  );

  implement(routes, contract.getCompany, ({ actor, params, db }) => findCompany(db, actor, params.id));

  implement(routes, contract.updateCompany, ({ actor, target, body, write }) =>
    write((tx) => updateCompany(tx, actor, target, body)),
  );

  implement(routes, contract.confirmCompany, ({ actor, params, write }) =>
    write((tx) => confirmCompany(tx, actor, params.id)),
  );

  implement(routes, contract.deleteCompany, ({ actor, target, write }) =>
    write((tx) => deleteCompany(tx, actor, target)),
  );
}
