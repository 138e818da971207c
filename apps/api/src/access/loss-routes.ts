import { type AccessLoss, policyLoss, siteLoss, userLoss } from '@propusk/contract/access-loss';
import type { CompanySnapshot } from '@propusk/contract/feed';
import type { Actor } from '../core/actor.ts';
import type { IfMatch } from '../core/versions.ts';
import type { Tx } from '../db/open.ts';
import { managedBy } from '../db/scope.ts';
import { lockRow } from '../entities/change.ts';
import { readSnapshot } from '../feed/store.ts';
import { implement, type Routes } from '../http/implement.ts';
import { deletePolicy } from '../policies/store.ts';
import { deleteSite } from '../sites/store.ts';
import { deleteUser } from '../users/store.ts';
import { findLoss, sampleHost } from './loss.ts';
import { type ForeignClaim, readForeignClaims } from './store.ts';

/** A deletion by id. */
type Delete = (tx: Tx, actor: Actor, id: number, ifMatch: IfMatch) => Promise<void>;

/** A company before and after a deletion. */
interface Outcome {
  readonly before: CompanySnapshot;
  readonly after: CompanySnapshot;
  readonly claims: readonly ForeignClaim[];
}

/** Carries the outcome of a deletion out of its transaction, which it rolls back. */
class RolledBack extends Error {
  readonly outcome: Outcome | null;

  constructor(outcome: Outcome | null) {
    super('The trial deletion was rolled back');
    this.outcome = outcome;
  }
}

const nothing: AccessLoss = { users: 0, sites: 0, allSites: 0 };

/** Computes the access that a deletion would revoke, by running it in a transaction that always rolls back. */
export function lossRoutes(routes: Routes): void {
  const deletions = [
    { endpoint: siteLoss, table: 'sites', remove: deleteSite },
    { endpoint: policyLoss, table: 'policies', remove: deletePolicy },
    { endpoint: userLoss, table: 'users', remove: deleteUser },
  ] as const;
  for (const { endpoint, table, remove } of deletions)
    implement(routes, endpoint, async ({ actor, params, write }) => {
      const outcome = await write((tx) => tryDelete(tx, actor, params.id, table, remove)).catch(readOutcome);
      // After the transaction, so that the comparison holds no lock.
      return outcome === null ? nothing : findLoss(outcome, outcome.claims);
    });

  /** @throws RolledBack always; AppError as the deletion does */
  async function tryDelete(
    tx: Tx,
    actor: Actor,
    id: number,
    table: 'sites' | 'policies' | 'users',
    remove: Delete,
  ): Promise<never> {
    const { company_id: companyId } = await lockRow(tx, table, id, managedBy(actor, 'company_id'), null);
    const source = { db: tx, encryption: routes.encryption, log: routes.app.log };
    const read = async () => (companyId === null ? null : readSnapshot(source, companyId));
    const before = await read();
    await remove(tx, actor, id, null);
    const after = await read();
    if (companyId === null || before === null || after === null) throw new RolledBack(null);
    const hosts = before.sites.flatMap(({ address }) => sampleHost(address) ?? []);
    const claims = await readForeignClaims(tx, { companyId, hosts });
    throw new RolledBack({ before, after, claims });
  }
}

function readOutcome(error: unknown): Outcome | null {
  if (error instanceof RolledBack) return error.outcome;
  throw error;
}
