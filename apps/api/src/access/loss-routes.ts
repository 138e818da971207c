import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { Actor } from '../core/actor.ts';
import type { Target } from '../core/versions.ts';
import type { Tx } from '../db/open.ts';
import { rolledBack } from '../db/rolled-back.ts';
import { companyOf, deleteEntity, lockRow } from '../entities/change.ts';
import type { Entity } from '../entities/entity.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { policyEntity } from '../policies/store.ts';
import { siteEntity } from '../sites/store.ts';
import { deleteUser, userEntity } from '../users/store.ts';
import { findLoss, sampleHost } from './loss.ts';
import { type ForeignClaim, readForeignClaims } from './store.ts';

/** The snapshots of a company before and after a trial deletion. */
interface Outcome {
  readonly before: CompanySnapshot;
  readonly after: CompanySnapshot;
  readonly claims: readonly ForeignClaim[];
}

const nothing: AccessLoss = { users: 0, sites: 0, allSites: 0 };

/** Computes the access that a deletion would revoke, by running it in a transaction that always rolls back. */
export function lossRoutes(routes: Routes): void {
  lossOf(siteLoss, siteEntity);
  lossOf(policyLoss, policyEntity);
  lossOf(userLoss, userEntity, deleteUser);

  function lossOf<T extends 'sites' | 'policies' | 'users', View>(
    endpoint: typeof siteLoss,
    entity: Entity<T, View>,
    remove = (tx: Tx, actor: Actor, target: Target) => deleteEntity(tx, actor, entity, target),
  ): void {
    implement(routes, endpoint, async ({ actor, target, write }) => {
      const outcome = await rolledBack(write, async (tx) => {
        const row = await lockRow(tx, actor, entity, target);
        return tryDelete(tx, companyOf(entity, row), () => remove(tx, actor, target));
      });
      // The snapshots are compared after the transaction, so that no lock is held meanwhile.
      return outcome === null ? nothing : findLoss(outcome, outcome.claims);
    });
  }

  /**
   * Runs the deletion in `tx` and reads the company's snapshot before and after the deletion.
   * @returns both snapshots; null when no company is concerned
   * @throws AppError when the deletion is refused
   */
  async function tryDelete(
    tx: Tx,
    companyId: number | null,
    remove: () => Promise<void>,
  ): Promise<Outcome | null> {
    const source = { db: tx, encryption: routes.encryption, log: routes.app.log };
    const read = async () => (companyId === null ? null : readSnapshot(source, companyId));
    const before = await read();
    await remove();
    const after = await read();
    if (companyId === null || before === null || after === null) return null;
    const hosts = before.sites.flatMap(({ address }) => sampleHost(address) ?? []);
    const claims = await readForeignClaims(tx, { companyId, hosts });
    return { before, after, claims };
  }
}
