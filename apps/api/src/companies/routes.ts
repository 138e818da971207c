import { myCompany } from '@propusk/contract/companies';
import { asMember } from '../http/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { findOwnCompany } from './store.ts';

/** Spec section 7: the company record. */
export function companyRoutes(routes: Routes): void {
  implement(routes, myCompany, ({ actor, db }) => findOwnCompany(db, asMember(actor)));
}
