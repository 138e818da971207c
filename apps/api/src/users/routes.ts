import * as contract from '@propusk/contract/users';
import { asMember } from '../http/actor.ts';
import { implement, type Routes } from '../http/implement.ts';
import { hashPassword } from '../passwords.ts';
import { createUser, deleteUser, findSelf, findUser, listUsers, updateUser } from './store.ts';

/** Spec section 7: the signed-in user, and the people of a company. */
export function userRoutes(routes: Routes): void {
  implement(routes, contract.me, ({ actor, db }) => findSelf(db, actor));

  implement(routes, contract.createUser, async ({ actor, body, write }) => {
    const passwordHash = await hashPassword(body.password);
    return write((tx) => createUser(tx, asMember(actor), body, passwordHash));
  });

  implement(routes, contract.companyUsers, ({ actor, query, db }) => listUsers(db, asMember(actor), query));

  implement(routes, contract.getUser, ({ actor, params, db }) => findUser(db, actor, params.id));

  implement(routes, contract.updateUser, async ({ actor, params, body, db, write }) => {
    // Before the slow hash: an id that is not the caller's costs nothing and tells nothing.
    await findUser(db, actor, params.id);
    const passwordHash = body.password === undefined ? undefined : await hashPassword(body.password);
    return write((tx) => updateUser(tx, actor, params.id, body, passwordHash));
  });

  implement(routes, contract.deleteUser, ({ actor, params, write }) =>
    write((tx) => deleteUser(tx, actor, params.id)),
  );
}
