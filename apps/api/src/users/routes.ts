import { me } from '@propusk/contract/me';
import * as contract from '@propusk/contract/users';
import { asMember } from '../core/actor.ts';
import { found } from '../core/errors.ts';
import { signedIn } from '../core/fair-queue.ts';
import type { Tx } from '../db/open.ts';
import { findEntity, listEntities, listIds } from '../entities/entity.ts';
import { implement } from '../http/implement.ts';
import { revealing } from '../identity/revealing.ts';
import type { Slice } from '../slice.ts';
import { roleRoutes } from './role-routes.ts';
import { createUsers, findSelf, updateUser, userEntity } from './store.ts';

/** Routes of the signed-in user and of the users of a company (specification, section 7). */
export function userRoutes(routes: Slice): void {
  roleRoutes(routes);
  implement(routes, me, ({ actor, db }) => findSelf(db, actor));

  implement(routes, contract.createUser, async ({ actor, body, write }) => {
    const passwordHash = await routes.passwords.hash(body.password, signedIn(actor.userId));
    const create = (tx: Tx) =>
      createUsers(tx, actor, asMember(actor).companyId, [body], { role: 'USER', passwordHash });
    return revealing(routes, actor, [body.email], () => write(async (tx) => found((await create(tx))[0])));
  });

  implement(routes, contract.companyUsers, ({ actor, query, db }) =>
    listEntities(db, asMember(actor), userEntity, 'company', query),
  );

  implement(routes, contract.userIds, ({ actor, query, db }) =>
    listIds(db, asMember(actor), userEntity, query),
  );

  implement(routes, contract.allCompanyUsers, ({ actor, db }) =>
    listEntities(db, asMember(actor), userEntity, 'company', {}),
  );

  implement(routes, contract.listUsers, ({ actor, query, db }) =>
    listEntities(db, actor, userEntity, 'platform', query),
  );

  implement(routes, contract.getUser, ({ actor, params, db }) =>
    findEntity(db, actor, userEntity, params.id),
  );

  implement(routes, contract.updateUser, async ({ actor, params, target, body, db, write }) => {
    const { email, password } = body;
    const powers = email !== undefined || password !== undefined;
    // Looks the user up before the slow password hash. A request for a user of another company thus costs no
    // hash, and its response time does not reveal that the user exists.
    if (powers) await findEntity(db, actor, userEntity, params.id);
    const passwordHash =
      password === undefined ? undefined : await routes.passwords.hash(password, signedIn(actor.userId));
    const tell = powers ? await routes.teller(db, actor, params.id) : undefined;
    const change = () => write((tx) => updateUser(tx, actor, target, body, { passwordHash, tell }));
    return email === undefined ? change() : revealing(routes, actor, [email], change);
  });
}
