import { type Actor, type Member, scopeOf } from '@propusk/api/core/actor';
import { connectionConfig, type Tx } from '@propusk/api/db/open';
import type { Tables } from '@propusk/api/db/schema';
import { listEntities } from '@propusk/api/entities/entity';
import { createSite } from '@propusk/api/sites/create';
import { siteEntity } from '@propusk/api/sites/store';
import { findSelf } from '@propusk/api/users/store';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

/** One statement as the api sends it. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statements of each call; for `create` those between `begin` and `commit`. */
interface Statements {
  readonly me: readonly Statement[];
  readonly list: readonly Statement[];
  readonly create: readonly Statement[];
}

/** The statements, and the ids in them that differ by request. */
export interface Recorded {
  readonly statements: Statements;
  readonly companyId: number;
  readonly siteId: number;
}

/** The address that `create` was recorded with; a repetition replaces it. */
export const RECORDED = 'recorded.bench.test';

/**
 * Records the statements of one user's calls from the api's own store functions, so that the bare server
 * sends the same ones.
 */
export async function recordStatements(url: string, actor: Member): Promise<Recorded> {
  const told: Statement[] = [];
  const pool = new pg.Pool({ ...connectionConfig(url), max: 1 });
  pool.on('error', () => {});
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => {
      told.push({ text: query.sql, values: query.parameters });
    },
  });
  const during = async (work: () => Promise<unknown>) => {
    told.length = 0;
    await work();
    return told.filter(({ text }) => !/^(begin|commit|rollback)/.test(text));
  };
  const reader: Actor = actor;
  const me = await during(() => findSelf(db, reader));
  const list = await during(() =>
    listEntities(db, reader, siteEntity, scopeOf(reader), { page: 1, take: 10, name: '' }),
  );
  let siteId = 0;
  const create = await during(async () => {
    const work = (tx: Tx) => createSite(tx, actor, { address: RECORDED, politics: [] });
    siteId = (await db.transaction().execute(work)).id;
  });
  await db.destroy();
  return { statements: { me, list, create }, companyId: actor.companyId, siteId };
}
