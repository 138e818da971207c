import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import * as bulk from '@propusk/contract/bulk';
import type { CompanySnapshot } from '@propusk/contract/feed';
import { deletePolicy } from '@propusk/contract/policies';
import { deleteSite } from '@propusk/contract/sites';
import { deleteUser } from '@propusk/contract/users';
import { asOwner, type Member } from '../core/actor.ts';
import { lockOwnCompany } from '../db/company.ts';
import type { Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { companyOf, deleteEntities, deleteEntity, lockRow } from '../entities/change.ts';
import type { Entity } from '../entities/entity.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { changeMembers, policyEntity } from '../policies/store.ts';
import { siteEntity } from '../sites/store.ts';
import { userEntity } from '../users/store.ts';
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
 * Routes of deletions, of bulk changes, and of previews. A preview computes the access that a change would revoke or grant, by
 * running the change in a transaction that always rolls back.
 */
export function lossRoutes(routes: Routes): void {
  deletions(deleteSite, siteLoss, bulk.deleteSites, bulk.sitesLoss, siteEntity);
  deletions(deletePolicy, policyLoss, bulk.deletePolicies, bulk.policiesLoss, policyEntity);
  deletions(deleteUser, userLoss, bulk.deleteUsers, bulk.usersLoss, userEntity);

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

  /** Implements the deletion of one entity and of several, each with its preview. */
  function deletions<T extends 'sites' | 'policies' | 'users', View>(
    deleteOne: typeof deleteSite,
    previewOne: typeof siteLoss,
    deleteMany: typeof bulk.deleteSites,
    previewMany: typeof bulk.sitesLoss,
    entity: Entity<T, View>,
  ): void {
    implement(routes, deleteOne, ({ actor, target, write }) =>
      write((tx) => deleteEntity(tx, actor, entity, target)),
    );
    implement(routes, previewOne, async ({ actor, target, write }) => {
      const lock = async (tx: Tx) => companyOf(entity, await lockRow(tx, actor, entity, target));
      return loss(await tryChange(write, lock, (tx) => deleteEntity(tx, actor, entity, target)));
    });
    implement(routes, deleteMany, ({ actor, body, write }) =>
      write((tx) => deleteEntities(tx, asOwner(actor), entity, body.ids)),
    );
    implement(routes, previewMany, async ({ actor, body, write }) => {
      const owner = asOwner(actor);
      return loss(await tryOwn(write, owner, (tx) => deleteEntities(tx, owner, entity, body.ids)));
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
