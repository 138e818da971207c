import { startPathOf } from '@propusk/access/probe-path';
import type { ProbePaths, VersionedPaths } from '@propusk/contract/lock';
import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { AppError, found } from '../core/errors.ts';
import type { IfMatch } from '../core/versions.ts';
import type { Db, Tx } from '../db/open.ts';
import { statement } from '../db/pipeline.ts';
import { managedBy } from '../db/scope.ts';
import { changeEntity, type Entity } from '../entities/change.ts';
import { shownAddress } from '../sites/store.ts';

/** The start paths of a site, and its URLs that may be open to strangers. */

type Paths = VersionedPaths & { readonly address: string };

const selectPaths = (db: Db) =>
  db
    .selectFrom('sites')
    .select(['address', 'start_paths as startPaths', 'open_paths as openPaths', 'version'])
    .select(['created_at as createdAt', 'updated_at as updatedAt']);

/** @throws AppError not_found, also for another company's site */
export function findPaths(db: Db, actor: Actor, id: number): Promise<Paths> {
  return selectPaths(db)
    .where('id', '=', id)
    .where(managedBy(actor, 'sites.company_id'))
    .executeTakeFirstOrThrow(() => new AppError('not_found'));
}

/** Replaces the paths; the next probe is due at once and reads the site anew. @throws AppError bad_input, not_found, changed_meanwhile */
export function setPaths(
  tx: Tx,
  actor: Actor,
  id: number,
  { startPaths, openPaths }: ProbePaths,
  ifMatch: IfMatch,
): Promise<Paths> {
  return changeEntity(tx, actor, pathsEntity, { id, ifMatch }, ({ company_id: companyId }) => ({
    set: { start_paths: readPaths(startPaths, 'startPaths'), open_paths: readPaths(openPaths, 'openPaths') },
    afterUpdate: async () => {
      await sql`update site_checks set sample = null, next_at = least(next_at, now())
        where company_id = ${companyId} and site_id = ${id}`.execute(tx);
    },
  }));
}

/** @throws AppError bad_input for `/` and for text that is no path */
function readPaths(typed: readonly string[], field: keyof ProbePaths): string[] {
  const read = typed.map((path) => startPathOf(path));
  const wrong = read.indexOf(null);
  if (wrong >= 0) throw new AppError('bad_input', { fields: { [`${field}.${wrong}`]: ['unfit'] } });
  return [...new Set(read.filter((path) => path !== null))];
}

const pathsEntity: Entity<'sites', Paths> = {
  table: 'sites',
  kind: 'site',
  visible: (actor) => managedBy(actor, 'company_id'),
  read: (tx, _, id) => statement(selectPaths(tx).where('id', '=', id).compile(), ([row]) => found(row)),
  name: ({ address }) => shownAddress(address),
  facts: ({ startPaths, openPaths }) => ({
    startPaths: startPaths.join(' '),
    openPaths: openPaths.join(' '),
  }),
};
