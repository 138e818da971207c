import { startPathOf } from '@propusk/access/probe-path';
import type { ProbePaths, VersionedPaths } from '@propusk/contract/probe';
import { sql } from 'kysely';
import type { Actor } from '../core/actor.ts';
import { AppError } from '../core/errors.ts';
import type { Target } from '../core/versions.ts';
import type { Tx } from '../db/open.ts';
import { changeEntity } from '../entities/change.ts';
import { entity } from '../entities/entity.ts';
import { shownAddress, siteEntity } from '../sites/store.ts';

type Paths = VersionedPaths & { readonly address: string };

/** The start paths of a site, and the paths that strangers are allowed to reach. */
export const pathsEntity = entity({
  ...siteEntity,
  columns: () => [
    'sites.address',
    'sites.start_paths as startPaths',
    'sites.open_paths as openPaths',
    'sites.version',
    'sites.created_at as createdAt',
    'sites.updated_at as updatedAt',
  ],
  present: (row): Paths => row,
  facts: ({ startPaths, openPaths }) => ({
    startPaths: startPaths.join(' '),
    openPaths: openPaths.join(' '),
  }),
  name: ({ address }) => shownAddress(address),
});

/**
 * Replaces the start paths and open paths of a site. The next probe of the site is due at once, and selects new sample pages.
 * @throws AppError bad_input, not_found, changed_meanwhile
 */
export function setPaths(
  tx: Tx,
  actor: Actor,
  target: Target,
  { startPaths, openPaths }: ProbePaths,
): Promise<Paths> {
  return changeEntity(tx, actor, pathsEntity, target, ({ company_id: companyId }) => ({
    set: { start_paths: readPaths(startPaths, 'startPaths'), open_paths: readPaths(openPaths, 'openPaths') },
    afterUpdate: async () => {
      await sql`update site_checks set sample = null, next_at = least(next_at, now())
        where company_id = ${companyId} and site_id = ${target.id}`.execute(tx);
    },
  }));
}

/** Parses typed paths. @throws AppError bad_input for `/` and for text that is not a path */
function readPaths(typed: readonly string[], field: keyof ProbePaths): string[] {
  const read = typed.map((path) => startPathOf(path));
  const wrong = read.indexOf(null);
  if (wrong >= 0) throw new AppError('bad_input', { fields: { [`${field}.${wrong}`]: ['unfit'] } });
  return [...new Set(read.filter((path) => path !== null))];
}
