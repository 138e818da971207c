import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import * as bulk from '@propusk/contract/bulk';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { type Actor, asOwner, type Member } from '../core/actor.ts';
import type { Target } from '../core/versions.ts';
import { lockOwnCompany } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { companyOf, deleteEntities, deleteEntity, lockRow } from '../entities/change.ts';
import type { Entity } from '../entities/entity.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { changeMembers, policyEntity } from '../policies/store.ts';
import { siteEntity } from '../sites/store.ts';
import { deleteUser, deleteUsers, userEntity } from '../users/store.ts';
import { findLoss, sampleHost } from './loss.ts';
import { type ForeignClaim, readForeignClaims } from './store.ts';

/** The snapshots of a company before and after a trial change. */
interface Outcome {
  readonly before: CompanySnapshot;
  readonly after: CompanySnapshot;
  readonly claims: readonly ForeignClaim[];
}

type Write = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Routes of bulk changes, and of previews. A preview computes the access that a change would revoke or grant, by running the change
 * in a transaction that always rolls back.
 */
export function lossRoutes(routes: Routes): void {
  lossOf(siteLoss, siteEntity);
  lossOf(policyLoss, policyEntity);
  lossOf(userLoss, userEntity, deleteUser);
  deleteMany(bulk.deleteUsers, bulk.usersLoss, deleteUsers);
  deleteMany(bulk.deleteSites, bulk.sitesLoss, (...given) => deleteEntities(...given, siteEntity));
  deleteMany(bulk.deletePolicies, bulk.policiesLoss, (...given) => deleteEntities(...given, policyEntity));

  implement(routes, bulk.changeMembers, ({ actor, params, body, write }) =>
    write((tx) => changeMembers(tx, asOwner(actor), params.id, body)),
  );

  implement(routes, bulk.previewMembers, async ({ actor, params, body, write }) => {
    const owner = asOwner(actor);
    const outcome = await tryOwn(write, owner, (tx) => changeMembers(tx, owner, params.id, body));
    return {
      lost: await loss(outcome),
      gained: await loss(outcome && { ...outcome, before: outcome.after, after: outcome.before }),
    };
  });

  /** Implements a bulk deletion and its preview. */
  function deleteMany(
    deletion: typeof bulk.deleteUsers,
    preview: typeof bulk.usersLoss,
    remove: (tx: Tx, owner: Member, ids: readonly number[]) => Promise<void>,
  ): void {
    implement(routes, deletion, ({ actor, body, write }) =>
      write((tx) => remove(tx, asOwner(actor), body.ids)),
    );
    implement(routes, preview, async ({ actor, body, write }) => {
      const owner = asOwner(actor);
      return loss(await tryOwn(write, owner, (tx) => remove(tx, owner, body.ids)));
    });
  }

  function lossOf<T extends 'sites' | 'policies' | 'users', View>(
    endpoint: typeof siteLoss,
    entity: Entity<T, View>,
    remove = (tx: Tx, actor: Actor, target: Target) => deleteEntity(tx, actor, entity, target),
  ): void {
    implement(routes, endpoint, async ({ actor, target, write }) => {
      const lock = async (tx: Tx) => companyOf(entity, await lockRow(tx, actor, entity, target));
      return loss(await tryChange(write, lock, (tx) => remove(tx, actor, target)));
    });
  }

  function tryOwn(write: Write, owner: Member, change: (tx: Tx) => Promise<unknown>) {
    return tryChange(write, (tx) => lockOwnCompany(tx, owner).then(() => owner.companyId), change);
  }

  /**
   * Runs a change on trial, and reads the company's snapshot before and after the change.
   * @param lock locks the company, and returns its id
   * @returns both snapshots; null when no company is concerned
   * @throws AppError when the change is refused
   */
  function tryChange(
    write: Write,
    lock: (tx: Tx) => Promise<number | null>,
    change: (tx: Tx) => Promise<unknown>,
  ): Promise<Outcome | null> {
    return rolledBack(write, async (tx) => {
      const companyId = await lock(tx);
      const source = { db: tx, encryption: routes.encryption, log: routes.app.log };
      const read = async () => (companyId === null ? null : readSnapshot(source, companyId));
      const before = await read();
      await change(tx);
      const after = await read();
      if (companyId === null || before === null || after === null) return null;
      const hosts = before.sites.flatMap(({ address }) => sampleHost(address) ?? []);
      return { before, after, claims: await readForeignClaims(tx, { companyId, hosts }) };
    });
  }
}

/** Compares the snapshots. Runs after the transaction, so that no lock is held meanwhile. */
async function loss(outcome: Outcome | null): Promise<AccessLoss> {
  return outcome === null ? { users: 0, sites: 0, allSites: 0 } : findLoss(outcome, outcome.claims);
}
